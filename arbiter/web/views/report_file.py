"""A season as one HTML file, with the templates, styles and scripts of the site's pages.

It makes no requests: its content security policy permits only the hashes of its scripts and styles. It shows
what a visitor of the site would see at the same time.
"""

from __future__ import annotations

from base64 import b64encode
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from markupsafe import Markup

from arbiter.season.snapshot import listings, season_figures
from arbiter.web.rendering.compression import STATIC
from arbiter.web.rendering.script_bundle import join_modules
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from arbiter.season.snapshot.match_schema import MatchRow
    from arbiter.season.snapshot.season_state import SeasonState

MOST_FAULTS = 500
"""The last faults, shown with their reasons."""


def make_report(state: SeasonState, replays: int | None = 0) -> str:
    """Return the text of the file; `replays` is the number of last matches with a replay, None for all."""
    shown = _replay_values(state, replays)
    style = read_static("style.css") + (read_static("replay.css") if shown else "")
    modules = [STATIC / "page.js", *([STATIC / "report.js"] if shown else [])]
    scripts = [read_static("scheme.js"), join_modules(*modules)]
    ended = [match for match in state.matches if match.faulty is not None]
    return render(
        "report",
        state,
        base=None,
        policy=content_policy(style, scripts),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        standings=season_figures.standings(state),
        crosstable=season_figures.crosstable(state, page=1),
        blocks=[],
        history=season_figures.history(state),
        lines=partial(season_figures.lines, state),
        chosen=None,
        rounds=_round_values(state),
        faults=listings.faults(state, ended[-MOST_FAULTS:]),
        faults_in_all=len(ended),
        replays=shown,
        config=state.config.file.name,
    )


def _round_values(state: SeasonState) -> list[dict[str, object]]:
    of: dict[int | None, list[MatchRow]] = {}
    for match in state.matches:
        of.setdefault(match.round, []).append(listings.match_in_short(state, match))
    return [
        {**season_figures.round_in_short(state, known), "list": of.get(known.number, [])}
        for known in state.rounds
    ]


def _replay_values(state: SeasonState, number: int | None) -> list[dict[str, object]]:
    """Return the last matches with their public replays, then those for each seat if they may be shown."""
    chosen = state.matches if number is None else state.matches[max(0, len(state.matches) - number) :]
    shown = []
    for match in chosen:
        readers = ["public", *(f"seat:{seat}" for seat in range(len(match.players)))]
        replays = [listings.replay(state, match.id, reader) for reader in readers]
        if replays[0] is not None:
            found = [replay for replay in replays if replay is not None]
            shown.append({**listings.match_in_short(state, match), "replays": found})
    return shown


def content_policy(style: str, scripts: list[str]) -> str:
    """Return the content security policy of a file, which permits this style and these scripts alone."""
    hashes = " ".join(map(_policy_hash, scripts)) or "'none'"
    policy = f"default-src 'none'; script-src {hashes}; style-src {_policy_hash(style)}; img-src data:"
    return f"{policy}; form-action 'none'; base-uri 'none'"


def _policy_hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def read_static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
