"""A version against the rungs, round by round, and where it stands: as much as its matches can tell.

A round is what `arbiter gauntlet` plays in one: everybody is met, in all seats on the same deals. Only whole
rounds count. The interval of a score holds however often one looks at it, since an agent looks after each
round and goes on until it likes what it sees.
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
"""Earlier ones that an answer names."""
WORST = 5
"""Matches that an answer about a call of `play` names."""
WHY = 200
"""Bytes of why an opponent is not there."""


class PlayedRounds(NamedTuple):
    """The matches of whole rounds, each a list, and how many there are of the next one."""

    whole: list[list[MatchSummary]]
    more: int


def play(
    arena: AgentArena, executor: SizedExecutor, rounds: int, seconds: float, version: int | None = None
) -> dict[str, Any]:
    """Play so many rounds more, the one that is begun included; `standings`, `played`, `worst`.

    After `seconds` no match is begun any more; what is missing of a round comes first the next time.
    VoidMatch where our machine failed.
    """
    with arena.opened() as opened:
        sent = arena.version(opened.stored, version)
        gauntlet = arena.gauntlet(sent, opened.store)
        with opened.store.held(gauntlet.name):
            season = gauntlet.open(opened.store)
            season.ask_to_stop(False)
            first = len(_rounds(gauntlet, season).whole) + 1
            wanted = (gauntlet.specs(season.seed, number) for number in range(first, first + rounds))
            events = play_blocks(season, wanted, executor, executor.size, monotonic() + seconds)
            played = [event.match.summary for event in events if isinstance(event, MatchStored)]
        worst = rows_of(played, gauntlet.player)[:WORST]
        return {**_standings(arena, opened, sent), "played": len(played), "worst": worst}


def standings(arena: AgentArena, version: int | None = None) -> dict[str, Any]:
    """Where a version stands, by default the last accepted one: against each rung, and against all."""
    with arena.opened() as opened:
        return _standings(arena, opened, arena.version(opened.stored, version))


def _rounds(gauntlet: Gauntlet, season: SeasonStore) -> PlayedRounds:
    size = len(gauntlet.specs(season.seed, 1))
    by_number: dict[int, list[MatchSummary]] = defaultdict(list)
    for match in season.summaries():
        by_number[match.round or 0].append(match)
    whole = [found for _, found in sorted(by_number.items()) if len(found) == size]
    return PlayedRounds(whole, sum(map(len, by_number.values())) - size * len(whole))


def _standings(arena: AgentArena, opened: OpenArena, sent: Submission) -> dict[str, Any]:
    gauntlet = arena.gauntlet(sent, opened.store)
    season = opened.store.season(gauntlet.name)
    rounds = PlayedRounds([], 0) if season is None else _rounds(gauntlet, season)
    matches = [match for found in rounds.whole for match in found]
    found = gauntlet_result(gauntlet, matches, None)
    by_round = [_rows(gauntlet, of) for of in rounds.whole]
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
        "say": _say(opponents, len(rounds.whole)),
        **overall,
        "elo": found["elo"],
        "elo_interval": None if found["elo"] is None else [found["low"], found["high"]],
        "faults": found["faults"],
        "opponents": opponents,
        "missing": {name: cut(why, WHY) for name, why in list(arena.missing.items())[:MOST_RUNGS]},
        "versions": [_brief(arena, opened, one) for one in arena.accepted(opened.stored)[:MOST_VERSIONS]],
    }


def _brief(arena: AgentArena, opened: OpenArena, sent: Submission) -> dict[str, Any]:
    gauntlet = arena.gauntlet(sent, opened.store)
    season = opened.store.season(gauntlet.name)
    whole = [] if season is None else _rounds(gauntlet, season).whole
    return {"version": sent.version, "rounds": len(whole), **_score([_rows(gauntlet, of) for of in whole])}


def _rows(gauntlet: Gauntlet, matches: Sequence[MatchSummary]) -> list[OpponentRow]:
    table = results_of(matches, gauntlet.player, gauntlet.opponents)
    return rows_against(table, matches, gauntlet.opponents)


def _score(by_round: Sequence[Sequence[OpponentRow]]) -> dict[str, Any]:
    """The share of all results won, its interval, and what that says."""
    sums = [tuple(sum(row[key] for row in of) for key in ("wins", "draws", "losses")) for of in by_round]
    scores = [score_of(*one) for one in sums]
    return {"score": score_of(*map(sum, zip(*sums, strict=True))) if sums else None, **_interval(scores)}


def _interval(scores: Sequence[float | None]) -> dict[str, Any]:
    """The interval of a mean score over rounds, and the `verdict`: better, worse or undecided."""
    low, high = confidence_sequence([score for score in scores if score is not None])
    verdict = "better" if low > EVEN else "worse" if high < EVEN else "undecided"
    return {"interval": [low, high], "verdict": verdict}


def _say(opponents: Sequence[dict[str, Any]], rounds: int) -> str:
    """What is known, in a sentence."""
    if not rounds:
        return "no round was played to its end yet: nothing is known"
    said = []
    for verdict, words in (
        ("better", "better than"),
        ("worse", "worse than"),
        ("undecided", "undecided against"),
    ):
        names = [row["player"] for row in opponents if row["verdict"] == verdict]
        if names:
            said.append(f"{words} {', '.join(names)}")
    more = "; more rounds tell more" if any(row["verdict"] == "undecided" for row in opponents) else ""
    return f"{', '.join(said)}{more}"
