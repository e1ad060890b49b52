"""The documented `info` of a step of Chef's Hat, for the seat that acted and for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arbiter.envs.argument_checks import NoSuchAction, WrongActionType
from arbiter.envs.chefs_hat.steps import SILENT, Moment, StepTaken
from arbiter.envs.match_state import NOBODY
from arbiter.envs.observers.chefs_hat import FIRST_STEP, NO_STEPS, Observation, card_cells, observe
from arbiter.games.chefs_hat.actions import PASS, STEP_NAMES, STEPS
from arbiter.games.chefs_hat.deal import SEATS, roles_after
from arbiter.games.chefs_hat.gym_observation import role_names
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.games.game import Action, Seat

HIDDEN = ""
"""Replaces values that only the author, the seat that acted, may see."""
NO_SCORE = (-1,) * SEATS
# The last name is for `NOTHING`, which is -1.
_SAID = (*STEP_NAMES, "")


def vector(moment: Moment, seat: Seat) -> Observation:
    """Return the observation of a seat; the possible actions are only those of the next to act."""
    if seat != moment.actor:
        return observe(moment.state, seat)
    can, refused = moment.chances
    return observe(moment.state, seat, can, refused)


def numbers(moment: Moment, seat: Seat) -> list[float]:
    """Return `vector` as a list."""
    state = moment.state
    seen = card_cells(state.board)[1] + card_cells(state.cells(seat))[1] + NO_STEPS
    if seat == moment.actor:
        for cell, actions in zip((1.0, 2.0), moment.chances, strict=True):
            for action in actions:
                seen[FIRST_STEP + action] = cell
    return seen


def action_of(given: object) -> Action:
    """Return the action of an id, or of a vector of 200 by its largest value; TypeError, ValueError."""
    action = int(given) if type(given) is int or isinstance(given, np.integer) else _id_of_vector(given)
    if not 0 <= action < STEPS:
        raise NoSuchAction(f"an action is a number from 0 to {STEPS - 1}, not {action}")
    return action


def _id_of_vector(given: object) -> Action:
    wanted = f"an action is a number from 0 to {STEPS - 1} or a vector of {STEPS} numbers"
    try:
        row = np.asarray(given)
    except ValueError:
        raise NoSuchAction(f"{wanted}, not {given!r}") from None
    if row.shape == ():
        if row.dtype.kind in "iu":
            return int(row)
        raise WrongActionType(f"{wanted}, not {type(given).__name__}")
    if row.shape != (STEPS,) or row.dtype.kind not in "biuf":
        raise NoSuchAction(f"{wanted}, not one of shape {row.shape} of {row.dtype}")
    if np.isnan(row).any():
        raise NoSuchAction(f"{wanted}; this one has values that cannot be compared")
    return int(row.argmax())


def start_info(moment: Moment, names: Sequence[str]) -> dict[str, Any]:
    """Return the `info` before the first step, without author or action."""
    state, board = moment.state, list(moment.state.board)
    return {
        "Matches": 1,
        "Rounds": 1,
        "Player_Names": list(names),
        "Author_Index": NOBODY,
        "Author_Possible_Actions": [],
        "Observation_Before": [],
        "Observation_After": [],
        "Action_Valid": True,
        "Action_Random": False,
        "Action_Index": NOBODY,
        "Action_Decoded": "",
        "Is_Pizza": False,
        "Pizza_Author": NOBODY,
        "Finished_Players": [False] * SEATS,
        "Cards_Per_Player": state.cards_left(),
        "Last_action_Per_Player": [""] * SEATS,
        "Next_Player": moment.actor,
        "Board_Before": board,
        "Board_After": list(board),
        "Current_Roles": list(role_names(state.setting.roles)),
        "Match_Score": list(NO_SCORE),
        "Game_Score": list(moment.tally.points),
        "Game_Performance_Score": list(moment.tally.performance),
    }


def step_info(step: StepTaken, names: Sequence[str], *, book: bool) -> dict[str, Any]:
    """Return the documented `info` of a step for its author; every list is a new one.

    Under `gym2`, as in the published environment, a step that ends a match describes the start of the next
    one: its number, full hands, no scores of the match that ended. After the last match all hands are empty.
    Under `book` all values are of the step's match.
    """
    action, valid, replaced, before, after, now = step
    author, match_over, over = step.author, step.match_over, step.over
    state, left = before.state, after.state
    said, cards = after.said, left.cards_left()
    finished = [not number for number in cards]
    roles, score = role_names(left.setting.roles), NO_SCORE
    if match_over and (book or over):
        score = left.points()
    matches = before.tally.matches + 1
    next_player = now.actor
    if book:
        seen_after = numbers(after, author)
    else:
        if match_over:
            next_player = _following(left)
            if over:
                finished, cards = [True] * SEATS, [0] * SEATS
                roles = role_names(roles_after(left.points()))
            else:
                finished, cards = [False] * SEATS, now.state.cards_left()
                roles, said = role_names(now.state.setting.roles), SILENT
                matches += 1
        seen_after = numbers(now, next_player if over else now.actor)
    can, refused = before.chances
    return {
        "Matches": matches,
        "Rounds": left.rounds,
        "Player_Names": list(names),
        "Author_Index": author,
        # All listed actions, including refused ones.
        "Author_Possible_Actions": [STEP_NAMES[a] for a in (sorted((*can, *refused)) if refused else can)],
        "Observation_Before": numbers(before, author),
        "Observation_After": seen_after,
        "Action_Valid": valid,
        "Action_Random": replaced,
        "Action_Index": action,
        "Action_Decoded": STEP_NAMES[action],
        "Is_Pizza": step.pizza,
        "Pizza_Author": left.last if step.pizza else NOBODY,
        "Finished_Players": finished,
        "Cards_Per_Player": cards,
        "Last_action_Per_Player": [_SAID[what] for what in said],
        "Next_Player": next_player,
        "Board_Before": list(state.board),
        "Board_After": list(state.board_after(author, action) if valid else state.board),
        "Current_Roles": list(roles),
        "Match_Score": list(score),
        "Game_Score": list(after.tally.points),
        "Game_Performance_Score": list(after.tally.performance),
    }


OF_THE_AUTHOR = ("Author_Possible_Actions", "Observation_Before", "Observation_After", "Action_Random")
"""The keys that only the author sees, at every step."""
OF_A_SECRET = ("Action_Index", "Action_Decoded")
"""Further keys hidden from others if cards are given or a special action is not declared."""


def is_secret(step: StepTaken) -> bool:
    """Return True if others must not know that the step happened.

    An undeclared special action would reveal who holds both jokers.
    """
    return step.before.state.asking_special and (step.action == PASS or not step.valid)


def hidden_from_others(info: dict[str, Any], step: StepTaken) -> dict[str, Any]:
    """Return the `info` for players other than the author, with the same keys."""
    info = {**info, **dict.fromkeys(OF_THE_AUTHOR, HIDDEN)}
    state = step.before.state
    if not state.in_play and not (state.asking_special and step.action != PASS):
        info |= dict.fromkeys(OF_A_SECRET, HIDDEN)
    if is_secret(step):
        info["Author_Index"] = NOBODY
    return info


def _following(state: ChefsHatState) -> Seat:
    """Return the seat that would act next: the last to discard, or the next with cards."""
    turn, left = state.last, state.cards_left()
    while not left[turn]:
        turn = (turn + 1) % SEATS
    return turn


KEYS = (
    "Matches Rounds Player_Names Author_Index Author_Possible_Actions Observation_Before Observation_After "
    "Action_Valid Action_Random Action_Index Action_Decoded Is_Pizza Pizza_Author Finished_Players "
    "Cards_Per_Player Last_action_Per_Player Next_Player Board_Before Board_After Current_Roles Match_Score "
    "Game_Score Game_Performance_Score"
)
"""The keys of `info`, in their order."""
_BLANK = dict.fromkeys(KEYS.split())
_READING = (
    "__contains__ __delitem__ __eq__ __getitem__ __ior__ __iter__ __len__ __ne__ __or__ __repr__ "
    "__reversed__ __ror__ __setitem__ clear copy get items keys pop popitem setdefault update values"
)
"""The dictionary methods that build the values first."""


class Info(dict[str, Any]):
    """A dictionary of `KEYS` that calls `make` for its values on first access.

    Few learning programs read the info of every step, and building it costs more than the step. The keys
    are present from the start, so that the size is right.
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        dict.__init__(self, _BLANK)
        self._make: Callable[[], dict[str, Any]] | None = make

    def __reduce_ex__(self, _: Any) -> Any:
        # Copies and pickles are plain dictionaries.
        return dict, (dict(self),)


def _building_first(name: str) -> Any:
    """Return the method of `dict` with this name, for `Info`: it builds the values before its first use."""
    plain = getattr(dict, name)

    def build_then_call(self: Info, *values: Any, **keywords: Any) -> Any:
        # The other operand may be an unbuilt `Info`, too.
        for info in (self, *values):
            if isinstance(info, Info) and (make := info._make) is not None:
                info._make = None
                dict.update(info, make())
        return plain(self, *values, **keywords)

    return build_then_call


# `__iter__` is included: without it ``dict(info)`` and ``{**info}`` would copy the unbuilt values.
for _name in _READING.split():
    setattr(Info, _name, _building_first(_name))
