"""What a player of Chef's Hat is shown: the observation, and the documented `info` of a step.

An observation is float32[228]: 11 cells of the board and 17 of the own hand, each card divided by
13, then a cell for each of the 200 actions, 1 where it is possible (under `gym2` 2 where it is
listed but refused).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.chefs_hat.steps import NO_CHANCES, SILENT, Chances, Moment, StepTaken
from arbiter.envs.mistakes import NoSuchAction, WrongActionType
from arbiter.envs.play import NOBODY
from arbiter.games.chefs_hat.actions import HAND, PASS, STEP_NAMES, STEPS
from arbiter.games.chefs_hat.deal import SEATS, roles_after
from arbiter.games.chefs_hat.shown import BOARD, role_names
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.rules import Action, Seat

CELLS = BOARD + HAND + STEPS
FIRST_ACTION = BOARD + HAND
"""The cell of action 0."""
HIDDEN = ""
"""In the place of what only the author may see."""
NO_SCORE = (-1,) * SEATS
_NO_CELLS = [0.0] * STEPS
# The last name stands for `NOTHING`, which is -1.
_SAID = (*STEP_NAMES, "")


Observation = NDArray[np.float32]


@lru_cache(maxsize=1 << 14)
def _cells(cards: bytes) -> tuple[Observation, list[float]]:
    """Cards as an observation has them, as an array and as numbers; the same few come again and again."""
    scaled = (np.frombuffer(cards, np.uint8) / 13).astype(np.float32)
    scaled.flags.writeable = False
    return scaled, scaled.tolist()


def vector(moment: Moment, seat: Seat, chances: Chances = NO_CHANCES) -> Observation:
    """What a seat sees; `chances` are those of a seat that acts next, none for another."""
    state = moment.state
    seen = np.zeros(CELLS, np.float32)
    seen[:BOARD] = _cells(state.board)[0]
    seen[BOARD:FIRST_ACTION] = _cells(state.cells(seat))[0]
    can, refused = chances
    if can:
        cells = seen[FIRST_ACTION:]
        cells.put(can, 1)
        if refused:
            cells.put(refused, 2)
    return seen


def numbers(moment: Moment, seat: Seat, chances: Chances = NO_CHANCES) -> list[float]:
    """As `vector`, a list."""
    state = moment.state
    seen = _cells(state.board)[1] + _cells(state.cells(seat))[1] + _NO_CELLS
    can, refused = chances
    for action in can:
        seen[FIRST_ACTION + action] = 1.0
    for action in refused:
        seen[FIRST_ACTION + action] = 2.0
    return seen


def action_of(given: object) -> Action:
    """The action that an id, or a vector of 200 by its greatest value, means; TypeError, ValueError."""
    if type(given) is int:
        action = given
    elif isinstance(given, np.integer):
        action = int(given)
    else:
        action = _largest(given)
    if not 0 <= action < STEPS:
        raise NoSuchAction(f"an action is a number from 0 to {STEPS - 1}, not {action}")
    return action


def _largest(given: object) -> Action:
    wanted = f"an action is a number from 0 to {STEPS - 1} or a vector of {STEPS} numbers"
    try:
        row = np.asarray(given)
    except ValueError:
        raise NoSuchAction(f"{wanted}, not {given!r}") from None
    if row.shape == () and np.issubdtype(row.dtype, np.integer):
        return int(row)
    if row.shape != (STEPS,) or not (row.dtype == np.bool_ or np.issubdtype(row.dtype, np.number)):
        if row.shape == ():
            raise WrongActionType(f"{wanted}, not {type(given).__name__}")
        raise NoSuchAction(f"{wanted}, not one of shape {row.shape} of {row.dtype}")
    if np.iscomplexobj(row) or np.isnan(row).any():
        raise NoSuchAction(f"{wanted}; this one has values that cannot be compared")
    return int(row.argmax())


def listed(chances: Chances) -> Sequence[Action]:
    """Everything that is listed, ascending, what will be refused included."""
    can, refused = chances
    return sorted(can + refused) if refused else can


def start_info(moment: Moment, names: Sequence[str]) -> dict[str, Any]:
    """The keys of `info` before the first step: there is no author, and nothing has been done."""
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


def step_info(step: StepTaken, names: Sequence[str], following: Chances, *, book: bool) -> dict[str, Any]:
    """The documented `info` of a step, as its author sees it; every list is a new one.

    `following` is what whoever acts next can do.

    Under `gym2` a step that ends a match tells what the next one begins with, as the published
    environment does: its number, full hands, no scores of the match that ended. After the last match
    nobody has cards. Under `book` everything is of the match that the step belongs to.
    """
    author, action, valid, replaced, pizza, match_over, over, chances, before, after, now = step
    state, left = before.state, after.state
    board = state.board_after(author, action) if valid else state.board
    said, cards = after.said, left.cards_left()
    finished = [not number for number in cards]
    roles, score = role_names(left.setting.roles), NO_SCORE
    if match_over and (book or over):
        score = left.points()
    matches = before.tally.matches + 1
    next_player = NOBODY if over else now.actor
    if book:
        seen_after = numbers(after, author, following if author in left.to_act else NO_CHANCES)
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
        seen_after = numbers(now, next_player if over else now.actor, following)
    return {
        "Matches": matches,
        "Rounds": left.rounds,
        "Player_Names": list(names),
        "Author_Index": author,
        "Author_Possible_Actions": [STEP_NAMES[a] for a in listed(chances)],
        "Observation_Before": numbers(before, author, chances),
        "Observation_After": seen_after,
        "Action_Valid": valid,
        "Action_Random": replaced,
        "Action_Index": action,
        "Action_Decoded": STEP_NAMES[action],
        "Is_Pizza": pizza,
        "Pizza_Author": left.last if pizza else NOBODY,
        "Finished_Players": finished,
        "Cards_Per_Player": cards,
        "Last_action_Per_Player": [_SAID[what] for what in said],
        "Next_Player": next_player,
        "Board_Before": list(state.board),
        "Board_After": list(board),
        "Current_Roles": list(roles),
        "Match_Score": list(score),
        "Game_Score": list(after.tally.points),
        "Game_Performance_Score": list(after.tally.performance),
    }


OF_THE_AUTHOR = ("Author_Possible_Actions", "Observation_Before", "Observation_After", "Action_Random")
"""What others than the author do not see of any step."""
OF_A_SECRET = ("Action_Index", "Action_Decoded")
"""What they do not see, besides, of cards given and of a special action that was not declared."""


def secret(step: StepTaken) -> bool:
    """True when others may not see what was decided."""
    state = step.before.state
    return not state.in_play and not (state.asking_special and step.action != PASS)


def unheard(step: StepTaken) -> bool:
    """True when others may not even know that there was a step.

    Only a holder of both jokers is asked for a special action.
    """
    state = step.before.state
    return state.asking_special and (step.action == PASS or not step.valid)


def hidden_from_others(info: dict[str, Any], step: StepTaken) -> dict[str, Any]:
    """The same `info` as another player than the author sees it; the keys stay."""
    info = {**info, **dict.fromkeys(OF_THE_AUTHOR, HIDDEN)}
    if secret(step):
        info |= dict.fromkeys(OF_A_SECRET, HIDDEN)
    if unheard(step):
        info["Author_Index"] = NOBODY
    return info


def _following(state: ChefsHatState) -> Seat:
    """Who would go on: who discarded last, or the next with cards."""
    turn, left = state.last, state.cards_left()
    while not left[turn]:
        turn = (turn + 1) % SEATS
    return turn
