"""A season as one HTML file, with the templates, styles and scripts of the site's pages.

It makes no requests: its content security policy permits only the hashes of its scripts and styles. It shows
what a visitor of the site would see at the same time.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from arbiter.replay.emblem import dealt
from arbiter.season.snapshot import front_page, listings, season_figures
from arbiter.web.rendering.compression import STATIC
from arbiter.web.rendering.script_bundle import join_modules
from arbiter.web.rendering.templates import environment, json_of, render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.match.record import MatchSummary
    from arbiter.season.snapshot.match_schema import MatchRow
    from arbiter.season.snapshot.season_state import SeasonState

MOST_FAULTS = 500
"""The last faults, shown with their reasons."""
ROUNDS_IN_SHORT = 3
"""The last rounds whose closest match and upset are named first, and have replays if any match has."""
MARKUP_OF_REPLAY = 4000
"""The most bytes of a replay's heading and scripts without the replays: names have at most 64 characters."""
MOST_BYTES = 10_000_000
"""The size of a report, unless all replays are asked for: it is mailed and opened in a browser."""


def make_report(state: SeasonState, replays: int | None = 0) -> str:
    """Return the text of the file; `replays` is the number of last matches with a replay, None for all.

    Unless it is 0, the matches worth a look have one, too. With a number the file has at most `MOST_BYTES`:
    the earliest rounds' lists, and the earliest replays beyond half of the space, are left out, and the
    report names them.
    """
    style = read_static("style.css") + (read_static("replay.css") if replays != 0 else "")
    style = re.sub(r"/\*.*?\*/\n|^ +", "", style, flags=re.MULTILINE)
    modules = [STATIC / "page.js", *([STATIC / "report.js"] if replays != 0 else [])]
    scripts = [read_static("scheme.js"), join_modules(*modules)]
    ended = [match for match in state.matches if match.faulty is not None]
    worth = _matches_worth_a_look(state)
    looked_at = {one["match"]["id"] for one in worth} if replays else set()
    last = state.matches[::-1]
    chosen = [
        match
        for number, match in enumerate(last)
        if replays is None or number < replays or match.id in looked_at
    ]
    make = partial(
        render,
        "report",
        state,
        base=None,
        policy=content_policy(style, scripts),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        front=front_page.front(state),
        worth=worth,
        standings=season_figures.standings(state),
        crosstable=season_figures.crosstable(state, page=1),
        blocks=[],
        history=season_figures.history(state),
        lines=partial(season_figures.lines, state),
        chosen=None,
        faults=listings.faults(state, ended[-MOST_FAULTS:]),
        faults_in_all=len(ended),
        config=state.config.file.name,
    )
    rounds = _round_values(state)
    space = None
    if replays is not None:
        bare = make(rounds=[{**one, "table": None} for one in rounds], replays=[], replays_left_out=0)
        space = max(MOST_BYTES - len(bare.encode()), 0)
    shown, used, dropped = _replay_values(state, chosen, None if space is None else space // 2)
    with dealt(state.colours):
        _add_tables(rounds, [one["id"] for one in shown], None if space is None else space - used)
    return make(rounds=rounds, replays=shown, replays_left_out=dropped)


def _matches_worth_a_look(state: SeasonState) -> list[dict[str, Any]]:
    """Return the closest match and the upset of each of the last `ROUNDS_IN_SHORT` rounds."""
    found: list[dict[str, Any]] = []
    for number in range(max(state.complete - ROUNDS_IN_SHORT, 0) + 1, state.complete + 1):
        news = front_page.highlights(state, number)
        found += [
            {"round": number, "what": what, **one}
            for what, one in (("the upset", news.upset), ("the closest match", news.closest))
            if one is not None
        ]
    return found


def _round_values(state: SeasonState) -> list[dict[str, Any]]:
    """Return all rounds in short, each with the `list` of its matches."""
    of: dict[int | None, list[MatchRow]] = {}
    for match in state.matches:
        of.setdefault(match.round, []).append(listings.match_in_short(state, match))
    return [
        {**season_figures.round_in_short(state, known), "list": of.get(known.number, [])}
        for known in state.rounds
    ]


def _add_tables(rounds: list[dict[str, Any]], replayed: list[str], space: int | None) -> None:
    """Add to each round the `table` of its matches as HTML, the latest first; None beyond `space` bytes."""
    table = environment().get_template("macros.html").make_module().match_table  # type: ignore[attr-defined]
    for one in reversed(rounds):
        made = table(None, one["list"], f"Round {one['round']}", None, replayed)
        if space is not None:
            space -= len(made.encode())
        one["table"] = made if space is None or space >= 0 else None


def _replay_values(
    state: SeasonState, chosen: Iterable[MatchSummary], space: int | None
) -> tuple[list[dict[str, Any]], int, int]:
    """Return matches with their replays as JSON texts, the public one first, then those of the seats.

    `chosen` are the matches, the latest first; those returned are in the season's order. Then follow the
    bytes used, and the number left out, beyond `space` bytes.
    """
    shown: list[dict[str, Any]] = []
    used = dropped = 0
    for match in chosen:
        if dropped:
            dropped += 1
            continue
        readers = ["public", *(f"seat:{seat}" for seat in range(len(match.players)))]
        replays = [listings.replay(state, match.id, reader) for reader in readers]
        if replays[0] is None:
            continue
        texts = [json_of(replay) for replay in replays if replay is not None]
        size = sum(len(text.encode()) for text in texts) + MARKUP_OF_REPLAY
        if space is not None and used + size > space:
            dropped = 1
            continue
        used += size
        shown.append({**listings.match_in_short(state, match), "replays": texts})
    return shown[::-1], used, dropped


def content_policy(style: str, scripts: list[str]) -> str:
    """Return the content security policy of a file, which permits this style and these scripts alone."""
    hashes = " ".join(map(_policy_hash, scripts)) or "'none'"
    policy = f"default-src 'none'; script-src {hashes}; style-src {_policy_hash(style)}; img-src data:"
    return f"{policy}; form-action 'none'; base-uri 'none'"


def _policy_hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def read_static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
