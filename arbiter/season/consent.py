"""What an organiser has to accept before a season goes on: changes of its file, a seed that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, Problem
from arbiter.season.plan import change_error, describe_changes, is_as_before

if TYPE_CHECKING:
    from arbiter.config import Config
    from arbiter.store import SeasonStore, StoredRound


def consent(
    config: Config,
    season: SeasonStore,
    last: StoredRound | None,
    number: int | None,
    told: int | None,
    accepted: bool,
) -> str:
    """What is accepted with a new round, on one line; "" where nothing has to be.

    `last` is the round planned before it, whose settings `season` keeps; `number` is the new one's, None
    if there is to be none; `told` how many rounds may be played although the seed was told, None while
    it is secret. ConfigError with everything that has to be accepted and is not.
    """
    asked: list[tuple[Problem, str]] = []
    if last is not None and not is_as_before(config, season, last):
        asked += [
            (problem, describe_changes(config, season, last))
            for problem in change_error(config, season, last).problems
        ]
    if number is not None and told is not None and number > told:
        asked.append((_known(told), f"round {number} is played though the seed was shown after round {told}"))
    if asked and not accepted:
        raise ConfigError([problem for problem, _ in asked], str(config.file))
    return "; ".join(what for _, what in asked)


def _known(told: int) -> Problem:
    return Problem(
        (),
        f"the seed was shown after round {told}: whoever knows it knows every further card",
        "begin another season, or give --accept-changes to go on all the same",
    )
