"""A season in one HTML file: the pages' own templates, styles and scripts, all within it.

It asks for nothing: its policy, in the file itself, names the hashes of what it may run and paint, and
forbids the rest. What it shows is what a visitor of the site would be shown at that moment.
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
"""Faults that are shown with their reasons, the last ones."""


def make_report(state: SeasonState, replays: int | None = 0) -> str:
    """The file's text; `replays` is how many of the last matches it holds to be replayed, None for all."""
    lent = _replays(state, replays)
    style = _read("style.css") + (_read("replay.css") if lent else "")
    modules = [STATIC / "page.js", *([STATIC / "report.js"] if lent else [])]
    scripts = [_read("scheme.js"), join_modules(*modules)]
    ended = [match for match in state.matches if match.faulty is not None]
    return render(
        "report",
        state,
        base=None,
        policy=_policy(style, scripts),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        standings=season_figures.standings(state),
        crosstable=season_figures.crosstable(state, page=1),
        blocks=[],
        history=season_figures.history(state),
        lines=partial(season_figures.lines, state),
        chosen=None,
        rounds=_rounds(state),
        faults=listings.faults(state, ended[-MOST_FAULTS:]),
        faults_in_all=len(ended),
        replays=lent,
        config=state.config.file.name,
    )


def _rounds(state: SeasonState) -> list[dict[str, object]]:
    of: dict[int | None, list[MatchRow]] = {}
    for match in state.matches:
        of.setdefault(match.round, []).append(listings.match_in_short(state, match))
    return [
        {**season_figures.round_in_short(state, known), "list": of.get(known.number, [])}
        for known in state.rounds
    ]


def _replays(state: SeasonState, number: int | None) -> list[dict[str, object]]:
    """The last matches as the public may see them, then through each seat's eyes where these are lent."""
    chosen = state.matches if number is None else state.matches[max(0, len(state.matches) - number) :]
    shown = []
    for match in chosen:
        readers = ["public", *(f"seat:{seat}" for seat in range(len(match.players)))]
        replays = [listings.replay(state, match.id, reader) for reader in readers]
        if replays[0] is not None:
            found = [replay for replay in replays if replay is not None]
            shown.append({**listings.match_in_short(state, match), "replays": found})
    return shown


def _policy(style: str, scripts: list[str]) -> str:
    """Return the policy of the file: paint by this style, run these scripts, and nothing else."""
    run, paint = " ".join(map(_hash, scripts)), _hash(style)
    policy = f"default-src 'none'; script-src {run}; style-src {paint}; img-src data:"
    return f"{policy}; form-action 'none'; base-uri 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
