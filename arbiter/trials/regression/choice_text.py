"""A choice among several candidates as texts and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from arbiter.text import counted, faults_text, interval_text
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.report_text import base_faulty_text, undecided_text
from arbiter.trials.regression.trial_state import FIELD, count_outcomes, tally_of

if TYPE_CHECKING:
    from arbiter.trials.regression.best_of_n import ChoiceTrial


class CandidateFigures(TypedDict):
    """A candidate's `state` (playing, behind, no_better, level, faulty), and its Elo above the base with a
    95 % confidence sequence; None before its first block.
    """

    name: str
    state: str
    blocks: int
    elo: float | None
    low: float | None
    high: float | None
    wins: int
    draws: int
    losses: int
    faults: Mapping[str, int]
    command: Sequence[str]


class ChoiceFigures(TypedDict):
    """The result of a choice so far; `groups` best first, each of names without a sure difference; `e` is the
    evidence that one candidate is more than elo0 above the base.
    """

    verdict: str | None
    best: str | None
    groups: Sequence[Sequence[str]]
    candidates: Sequence[CandidateFigures]
    e: float
    elo0: float
    elo1: float
    alpha: float
    beta: float
    max_blocks: int | None
    blocks: int
    matches: int
    faults: Mapping[str, Mapping[str, int]]
    left_out: Sequence[int]
    game: Mapping[str, Any]
    base: Sequence[str]
    field: Sequence[str]
    name: str
    attempt: int


def headline(trial: ChoiceTrial) -> str:
    """Return the verdict in one line, or after how many blocks it is undecided."""
    match trial.verdict:
        case "best":
            others = [trial.name_of(table) for table in trial.groups()[0] if table != trial.leader]
            alone = f"; no sure difference from {', '.join(others)}" if others else " and all others"
            return f"best: {trial.name_of(trial.leader)}, better than the base{alone}"
        case "none":
            return "none: no candidate is shown to be better than the base"
        case "candidates_faulty":
            return f"candidates faulty: {next(iter(trial.out.values()))}"
        case "base_faulty":
            return base_faulty_text([fault for _, fault in trial.faults])
    uneven = int(trial.standing.uneven[trial.competing.index(trial.leader)])
    return undecided_text(trial.blocks_taken, uneven, trial.verdict == "out_of_budget")


def rows(trial: ChoiceTrial) -> list[tuple[str, str]]:
    """Return the figures behind the verdict as (label, text): candidates, best first, then the rest."""
    experiment, groups = trial.experiment, trial.groups()
    shown = [table for group in groups for table in group] + list(trial.out)
    found = [(trial.name_of(table), _candidate_text(trial, table)) for table in shown]
    if len(groups) > 1:
        names = (", ".join(map(trial.name_of, group)) for group in groups)
        found.append(("groups", " > ".join(names)))
    left = f"; {len(trial.left_out)} more do not count" if trial.left_out else ""
    text = f"{trial.blocks}, of {experiment.block_size} matches for each in the race{left}"
    found += [("blocks", text), ("matches", str(matches_played(trial)))]
    made = {**{trial.name_of(t): trial.faults_of(CANDIDATE, t) for t in trial.tables}, **_other_faults(trial)}
    faults = [f"{name}: {faults_text(kinds)}" for name, kinds in made.items() if kinds]
    found.append(("faults", "; ".join(faults) or "none"))
    if experiment.attempt > 1:
        found.append(("attempt", f"{experiment.attempt}; the risks hold for each attempt alone"))
    return found


def progress_text(trial: ChoiceTrial) -> str:
    """Return ``12 blocks, 3 of 8 in the race, fast leads: Elo +30.1 (95 %: ...)``."""
    text = f"{counted(trial.blocks, 'block')}, {len(trial.in_race)} of {len(trial.tables)} in the race"
    return f"{text}, {trial.name_of(trial.leader)} leads: {_elo_text(trial, trial.leader)}"


def state_text(trial: ChoiceTrial, table: int) -> str:
    """Return why a candidate is in the race or not."""
    rule, state = trial.rule, trial.state_of(table)
    chosen = table == trial.leader if trial.competing else False
    return {
        "playing": "the best" if trial.verdict == "best" else "in the lead" if chosen else "in the race",
        "behind": "worse than another",
        "no_better": f"not {rule.elo1:+g} above the base",
        "level": f"not {rule.elo1 - rule.elo0:+g} above the best",
        "faulty": f"out by a fault: {trial.out[table].short_text}" if table in trial.out else "",
    }[state]


def figures(trial: ChoiceTrial) -> ChoiceFigures:
    experiment, rule = trial.experiment, trial.rule
    return {
        "verdict": trial.verdict,
        "best": trial.name_of(trial.leader) if trial.verdict == "best" else None,
        "groups": [[trial.name_of(table) for table in group] for group in trial.groups()],
        "candidates": [_candidate_figures(trial, table) for table in trial.tables],
        "e": rule.evidence(trial.standing),
        "elo0": rule.elo0,
        "elo1": rule.elo1,
        "alpha": rule.alpha,
        "beta": rule.beta,
        "max_blocks": rule.most_blocks,
        "blocks": trial.blocks,
        "matches": matches_played(trial),
        "faults": _other_faults(trial),
        "left_out": trial.left_out,
        "game": {"name": experiment.game.name, **experiment.game.options},
        "base": list(experiment.base.command),
        "field": [player.name for player in experiment.field],
        "name": experiment.name,
        "attempt": experiment.attempt,
    }


def matches_played(trial: ChoiceTrial) -> int:
    return sum(map(len, trial.played.values()))


def _candidate_figures(trial: ChoiceTrial, table: int) -> CandidateFigures:
    scores = trial.scores_of(table)
    wins, draws, losses = tally_of(count_outcomes(trial.played[table]))
    low, elo, high = trial.rule.strength(scores) if scores.size else (None, None, None)
    return {
        "name": trial.name_of(table),
        "state": trial.state_of(table),
        "blocks": scores.size,
        "elo": elo,
        "low": low,
        "high": high,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "faults": trial.faults_of(CANDIDATE, table),
        "command": list(trial.experiment.candidates[table - 1].command),
    }


def _candidate_text(trial: ChoiceTrial, table: int) -> str:
    """Return a candidate's Elo, blocks and state, or the state alone if a fault excludes it."""
    blocks = counted(trial.scores_of(table).size, "block")
    state = state_text(trial, table)
    return state if table in trial.out else f"Elo {_elo_text(trial, table)}, {blocks}; {state}"


def _elo_text(trial: ChoiceTrial, table: int) -> str:
    """Return a candidate's Elo with its 95 % confidence sequence, "-" before its first block."""
    scores = trial.scores_of(table)
    if not scores.size:
        return "-"
    low, elo, high = trial.rule.strength(scores)
    return interval_text(elo, low, high)


def _other_faults(trial: ChoiceTrial) -> dict[str, dict[str, int]]:
    """Return the faults of the base, and of the field if there is one."""
    versions = (BASE, FIELD) if trial.experiment.field else (BASE,)
    return {version: trial.faults_of(version) for version in versions}
