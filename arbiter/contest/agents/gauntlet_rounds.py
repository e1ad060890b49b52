"""Rounds of a version against the rungs, and its standings, with anytime-valid intervals.

A round is one of `arbiter gauntlet`: all opponents, in all seats, on the same deals. Only whole rounds count.
The intervals stay valid under repeated looks, since an agent looks after each round and stops when it likes
the result.
"""

from __future__ import annotations

from collections import defaultdict
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.contest.agents.answer_limits import cut
from arbiter.contest.agents.arena import MOST_RUNGS
from arbiter.contest.agents.version_matches import rows_of
from arbiter.season.events import MatchStored
from arbiter.trials.gauntlet import gauntlet_result, results_of, rows_against, score_of
from arbiter.trials.regression.own_season import play_blocks
from rating.evidence import confidence_sequence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.contest.agents.arena import AgentArena, OpenArena
    from arbiter.match.record import MatchSummary
    from arbiter.store import SeasonStore
    from arbiter.store.versions import Submission
    from arbiter.table.executors import SizedExecutor
    from arbiter.trials.gauntlet import Gauntlet, OpponentRow

EVEN = 0.5
MOST_VERSIONS = 10
"""The most earlier versions in an answer."""
WORST = 5
"""The most matches in the answer of `play`."""
WHY = 200
"""The most bytes of the reason why an opponent is missing."""


class PlayedRounds(NamedTuple):
    """The matches of each whole round, and the number of matches of the next one."""

    whole: list[list[MatchSummary]]
    more: int


def play(
    arena: AgentArena, executor: SizedExecutor, rounds: int, seconds: float, version: int | None = None
) -> dict[str, Any]:
    """Play `rounds` more, an incomplete one included; return `standings` with `played` and `worst`.

    After `seconds` no match is started; the next call first completes the round. VoidMatch if the machine
    failed.
    """
    with arena.open() as opened:
        sent = arena.version(opened.stored, version)
        gauntlet = arena.gauntlet(sent, opened.store)
        with opened.store.hold(gauntlet.name):
            season = gauntlet.open(opened.store)
            season.ask_to_stop(False)
            first = len(_played_rounds(gauntlet, season).whole) + 1
            wanted = (gauntlet.specs(season.seed, number) for number in range(first, first + rounds))
            events = play_blocks(season, wanted, executor, executor.size, monotonic() + seconds)
            played = [event.match.summary for event in events if isinstance(event, MatchStored)]
        worst = rows_of(played, gauntlet.player)[:WORST]
        return {**_version_standings(arena, opened, sent), "played": len(played), "worst": worst}


def standings(arena: AgentArena, version: int | None = None) -> dict[str, Any]:
    """Load the results of a version, by default the last accepted one, against each rung and all."""
    with arena.open() as opened:
        return _version_standings(arena, opened, arena.version(opened.stored, version))


def _played_rounds(gauntlet: Gauntlet, season: SeasonStore) -> PlayedRounds:
    """Load the gauntlet's matches: those of complete rounds, and the number of all others."""
    size = len(gauntlet.specs(season.seed, 1))
    by_number: dict[int, list[MatchSummary]] = defaultdict(list)
    for match in season.summaries():
        by_number[match.round or 0].append(match)
    whole = [found for _, found in sorted(by_number.items()) if len(found) == size]
    return PlayedRounds(whole, sum(map(len, by_number.values())) - size * len(whole))


def _version_standings(arena: AgentArena, opened: OpenArena, sent: Submission) -> dict[str, Any]:
    """Load the matches of a version; return its results against each rung and all, and other versions'."""
    gauntlet = arena.gauntlet(sent, opened.store)
    season = opened.store.season(gauntlet.name)
    rounds = PlayedRounds([], 0) if season is None else _played_rounds(gauntlet, season)
    matches = [match for found in rounds.whole for match in found]
    found = gauntlet_result(gauntlet, matches, None)
    by_round = [_opponent_rows(gauntlet, of) for of in rounds.whole]
    opponents: list[dict[str, Any]] = []
    for number, row in enumerate(found["opponents"]):
        scores = [of[number]["score"] for of in by_round]
        opponents.append({**row, **_interval(scores)})
    overall = _score(by_round)
    return {
        "player": gauntlet.player,
        "version": sent.version,
        "game": found["game"],
        "rounds": len(rounds.whole),
        "matches": len(matches),
        "of_next_round": rounds.more,
        "say": _verdict_sentence(opponents, len(rounds.whole)),
        **overall,
        "elo": found["elo"],
        "elo_interval": None if found["elo"] is None else [found["low"], found["high"]],
        "faults": found["faults"],
        "opponents": opponents,
        "missing": {name: cut(why, WHY) for name, why in list(arena.missing.items())[:MOST_RUNGS]},
        "versions": [_summary(arena, opened, one) for one in arena.accepted(opened.stored)[:MOST_VERSIONS]],
    }


def _summary(arena: AgentArena, opened: OpenArena, sent: Submission) -> dict[str, Any]:
    """Load the matches of a version; return its score over complete rounds."""
    gauntlet = arena.gauntlet(sent, opened.store)
    season = opened.store.season(gauntlet.name)
    whole = [] if season is None else _played_rounds(gauntlet, season).whole
    rows = [_opponent_rows(gauntlet, of) for of in whole]
    return {"version": sent.version, "rounds": len(whole), **_score(rows)}


def _opponent_rows(gauntlet: Gauntlet, matches: Sequence[MatchSummary]) -> list[OpponentRow]:
    table = results_of(matches, gauntlet.player, gauntlet.opponents)
    return rows_against(table, matches, gauntlet.opponents)


def _score(by_round: Sequence[Sequence[OpponentRow]]) -> dict[str, Any]:
    """Return the share of all results won, with interval and verdict."""
    sums = [tuple(sum(row[key] for row in of) for key in ("wins", "draws", "losses")) for of in by_round]
    scores = [score_of(*one) for one in sums]
    return {"score": score_of(*map(sum, zip(*sums, strict=True))) if sums else None, **_interval(scores)}


def _interval(scores: Sequence[float | None]) -> dict[str, Any]:
    """Return the interval of a mean score over rounds, and the `verdict`: better, worse or undecided."""
    low, high = confidence_sequence([score for score in scores if score is not None])
    verdict = "better" if low > EVEN else "worse" if high < EVEN else "undecided"
    return {"interval": [low, high], "verdict": verdict}


def _verdict_sentence(opponents: Sequence[dict[str, Any]], rounds: int) -> str:
    """Return ``better than a, b, worse than c, undecided against d; play more rounds`` by the verdicts."""
    if not rounds:
        return "no complete round yet: nothing is known"
    said = []
    for verdict, words in (
        ("better", "better than"),
        ("worse", "worse than"),
        ("undecided", "undecided against"),
    ):
        names = [row["player"] for row in opponents if row["verdict"] == verdict]
        if names:
            said.append(f"{words} {', '.join(names)}")
    more = "; play more rounds" if any(row["verdict"] == "undecided" for row in opponents) else ""
    return f"{', '.join(said)}{more}"
