"""One rule for what goes wrong in any environment, and the checks that keep it.

| mistake | raises |
|---|---|
| a seed or an action of a type that cannot be | TypeError |
| an id, seat, agent or seed that does not exist | ValueError |
| a step, or a look, where no match is in progress | RuntimeError |
| options of an environment or of `reset` | ConfigError |

Nothing is changed by any of them. Where Gymnasium and Python have names for the same, ours go by those too:
InvalidAction for actions, ResetNeeded and, before the first `reset`, AttributeError.
"""

from __future__ import annotations

from operator import index

from gymnasium.error import InvalidAction, ResetNeeded

from arbiter.match.record import Forfeit


class WrongActionType(TypeError, InvalidAction):
    """An action of a type that cannot be."""


class NoSuchAction(ValueError, InvalidAction):
    """An id that does not exist, or a vector that means none."""


class NoMatch(RuntimeError, ResetNeeded):
    """No match is in progress."""


class NotBegun(NoMatch, AttributeError):
    """There has been no `reset` yet; an AttributeError, so that `hasattr` says no."""


class Forfeited(Exception):
    """An opponent's fault has ended the match."""

    def __init__(self, forfeit: Forfeit) -> None:
        self.forfeit = forfeit
        seat, what = forfeit.seat, f"{forfeit.fault}: {forfeit.detail}"
        super().__init__(f"{forfeit.player} in seat {seat}: {what}")


def checked_seed(seed: object, whose: str = "", *, texts: bool = True) -> int | str | None:
    """A seed: an integer from 0, where `texts` are taken a string, or None; TypeError, ValueError.

    `whose` names the environment for whom it is too special for a string.
    """
    if seed is None or (texts and isinstance(seed, str)):
        return seed
    what = f"a seed{whose and f' of {whose}'} is an integer from 0{', or a string' if texts else ''}"
    return checked_number(seed, what)


def checked_action(action: object, actions: int, agent: str) -> int:
    """The id as an int; WrongActionType or NoSuchAction, both saying what was expected."""
    expected = f"an action of {agent} is an integer from 0 to {actions - 1}"
    try:
        return checked_number(action, expected, bound=actions)
    except TypeError as error:
        raise WrongActionType(str(error)) from None
    except ValueError as error:
        raise NoSuchAction(str(error)) from None


def checked_number(value: object, expected: str, least: int = 0, bound: int | None = None) -> int:
    """An integer of any type, NumPy's included, as an int; truth values are none.

    TypeError, or ValueError below `least` or from `bound` on, both saying what was `expected`.
    """
    try:
        number = index(value if not isinstance(value, bool) else None)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{expected}, not {value!r}") from None
    if number < least or (bound is not None and number >= bound):
        raise ValueError(f"{expected}, not {number}")
    return number
