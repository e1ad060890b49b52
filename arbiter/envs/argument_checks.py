"""The errors that all environments raise for bad arguments, and the checks.

| mistake | raises |
|---|---|
| a seed or an action of the wrong type | TypeError |
| an id, seat, agent or seed that does not exist | ValueError |
| a step or a view without a match in progress | RuntimeError |
| options of an environment or of `reset` | ConfigError |

An error changes nothing. The classes also derive from the corresponding ones of Gymnasium and Python:
InvalidAction and ArbiterError for actions, ResetNeeded and, before the first `reset`, AttributeError.
"""

from __future__ import annotations

from operator import index

from gymnasium.error import InvalidAction, ResetNeeded

from arbiter.errors import ArbiterError, ConfigError
from arbiter.match.record import Forfeit


class WrongActionType(ArbiterError, TypeError, InvalidAction):
    """An action of the wrong type."""


class NoSuchAction(ArbiterError, ValueError, InvalidAction):
    """An id that does not exist, or a vector that represents no id."""


class IllegalPolicy(ArbiterError, ValueError):
    """An action that the rules do not allow, of a policy that cannot lose by it."""


class WrongType(ConfigError, TypeError):
    """A parameter of the wrong type."""


class WrongValue(ConfigError, ValueError):
    """A parameter outside its range."""


class NoMatch(RuntimeError, ResetNeeded):
    """No match is in progress."""


class NotBegun(NoMatch, AttributeError):
    """There was no `reset` yet; an AttributeError, so that `hasattr` returns False."""


class Forfeited(Exception):
    """An opponent's fault has ended the match."""

    def __init__(self, forfeit: Forfeit) -> None:
        self.forfeit = forfeit
        seat, what = forfeit.seat, f"{forfeit.fault}: {forfeit.detail}"
        super().__init__(f"{forfeit.player} in seat {seat}: {what}")


def check_seed(seed: object, whose: str = "", *, texts: bool = True) -> int | str | None:
    """Return a valid seed: an integer from 0, a string if `texts`, or None; TypeError, ValueError.

    `whose` is the environment's name for messages.
    """
    if seed is None or (texts and isinstance(seed, str)):
        return seed
    what = f"a seed{whose and f' of {whose}'} is an integer from 0{', or a string' if texts else ''}"
    return check_number(seed, what)


def check_action(action: object, actions: int, agent: str) -> int:
    """Return the id as an int; WrongActionType or NoSuchAction with what was expected."""
    expected = f"an action of {agent} is an integer from 0 to {actions - 1}"
    try:
        return check_number(action, expected, bound=actions)
    except TypeError as error:
        raise WrongActionType(str(error)) from None
    except ValueError as error:
        raise NoSuchAction(str(error)) from None


def check_number(value: object, expected: str, least: int = 0, bound: int | None = None) -> int:
    """Return an integer of any type, NumPy's included, as an int.

    TypeError for other types and booleans, ValueError below `least` or from `bound` on, both with `expected`.
    """
    try:
        number = index(value if not isinstance(value, bool) else None)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{expected}, not {value!r}") from None
    if number < least or (bound is not None and number >= bound):
        raise ValueError(f"{expected}, not {number}")
    return number


def check_parameter(name: str, value: object, least: int = 0, *, texts: bool = False) -> int | str:
    """Return an integer parameter of a call, or with `texts` a string; WrongType, WrongValue."""
    if texts and isinstance(value, str):
        return value
    try:
        return check_number(value, name, least)
    except (TypeError, ValueError) as error:
        kind = WrongType if isinstance(error, TypeError) else WrongValue
        expected = f"an integer from {least}{', or a string' if texts else ''}"
        raise kind(f"{name}: expected {expected}, got {value!r}") from None
