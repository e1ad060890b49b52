"""Usage and costs of language models in a season's state: in standings, of a player, of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from arbiter.match.token_usage import BilledTokens
from arbiter.season.cost_budget import cost_of, replaced_matches, sum_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.record import BotReport, MatchSummary
    from arbiter.season.snapshot.match_schema import ModelOfMatch
    from arbiter.season.snapshot.page_schema import ModelIdentity
    from arbiter.season.snapshot.schema import ModelFigures, Row, Standings, StoredRow, StoredStandings
    from arbiter.season.snapshot.season_state import SeasonState

COSTS = ("cost", "cost_a_match", "legal_first")
"""The figures of a language model, in a sheet's columns."""
MOST_NAMES = 5
"""Names that a provider reports for a model; they are untrusted, so bounded."""


def add_costs(found: Standings, state: SeasonState, stored: StoredStandings) -> None:
    """Add the costs of language models to standings and their rows, and the anchors of the scale."""
    if "anchors" in stored:
        found["anchors"] = stored["anchors"]
    sums = {row["player"]: row["model"] for row in stored["players"] if "model" in row}
    if not sums:
        return
    counted = {name: BilledTokens(of["input"], of["output"]) for name, of in sums.items()}
    # Hidden matches may have costs, too.
    is_last = found["after_round"] == state.complete and state.held is None
    found["costs"] = {
        "currency": state.file.currency,
        "counted": cost_of(counted, state.file.prices),
        "uncounted": cost_of(_uncounted_tokens(state), state.file.prices) if is_last else None,
    }
    found["players"] = [cast("Row", {**row, **costs_of(state, row)}) for row in found["players"]]


def costs_of(state: SeasonState, row: StoredRow) -> ModelFigures:
    """Return cost, cost a match and share of legal first answers of a model's row; {} for a program."""
    if (sums := row.get("model")) is None:
        return {}
    billed = {row["player"]: BilledTokens(sums["input"], sums["output"])}
    total = cost_of(billed, state.file.prices)
    return {
        "cost": total,
        "cost_a_match": None if total is None else total / sums["matches"],
        "legal_first": sums["first_try"] / sums["decisions"] if sums["decisions"] else None,
    }


def _uncounted_tokens(state: SeasonState) -> Mapping[str, BilledTokens]:
    """Load the tokens of plays that do not count: void, annulled, replaced."""
    out = [*replaced_matches(state.given), *state.matches_of(state.annulled)]
    return sum_tokens([state.stored.unstored_tokens.all(), *(match.billed() for match in out)])


def models_of(state: SeasonState, match: MatchSummary) -> list[ModelOfMatch]:
    """Return usage and cost of the language models in a match; empty before its round is complete."""
    uses = match.uses() if state.is_complete(match.round) else ()
    return [
        {
            "seat": use.seat,
            "decisions": use.decisions,
            "first_try": use.first_try,
            "input": use.input,
            "output": use.output,
            "cost": cost_of({name: use.billed}, state.file.prices),
        }
        for name, use in uses
    ]


def identity(reports: Sequence[BotReport]) -> ModelIdentity | None:
    """Return the model of a player in its last matches; None for a program."""
    kept = [bot.model for bot in reports if bot.model is not None]
    if not kept:
        return None
    last, form = kept[-1], kept[-1]["form"]
    return {
        "name": last["name"],
        "date": last["date"],
        "effort": last["effort"],
        "harness": last["harness"],
        "state": form["state"],
        "legal": form["legal"],
        "names": "exchanged" if form["names"] else "plain",
        "served_as": sorted({call["model"] for one in kept for call in one["calls"] if call["model"]})[
            :MOST_NAMES
        ],
    }
