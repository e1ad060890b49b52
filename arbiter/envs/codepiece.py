"""Codepiece as a small engine: states as dictionaries, 63 actions, 233 features.

    game = Engine(seed=1)
    state, player = game.init_game()
    while not game.is_over():
        state, player = game.step(state["legal_actions"][0])
    game.get_payoffs()

Names, orders and types are those of the published engine, so that code written for it works. Moves
that it wrongly accepts (bids that are not higher, revokes, moves out of turn) raise here and change nothing,
and only the player to act has legal actions.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from arbiter.envs.argument_checks import (
    NoMatch,
    NoSuchAction,
    NotBegun,
    WrongActionType,
    check_action,
    check_number,
)
from arbiter.envs.codepiece_cells import (
    PHASES,
    decode_cards,
    decode_observation,
    encode_cards,
    encode_observation,
)
from arbiter.envs.observers.codepiece import observation
from arbiter.games.codepiece import (
    DECK,
    FIRST_CARD,
    FIRST_TRUMP,
    HAND,
    IDS,
    LOWEST,
    SEATS,
    WORDS,
    Codepiece,
    CodepieceState,
    card_beats,
)
from arbiter.games.game import Deal

__all__ = [
    "BidAction", "Engine", "PlayAction", "TrumpAction", "action_of", "card_beats", "decode_cards",
    "decode_observation", "encode_cards", "encode_observation",
]  # fmt: skip

CARDS = len(DECK)
_SUITS = DECK.suits

Vector: TypeAlias = npt.NDArray[np.float32]
State: TypeAlias = dict[str, Any]


class BidAction(NamedTuple):
    """A bid of 8 to 13, or 0 for pass."""

    bid: int

    @property
    def id(self) -> int:
        """0 for pass, 1 to 6."""
        return self.bid and self.bid - LOWEST + 1

    def __str__(self) -> str:
        return WORDS[self.id]


class TrumpAction(NamedTuple):
    """The trump suit: S, H, D or C."""

    suit: str

    @property
    def id(self) -> int:
        """7 to 10."""
        return IDS[f"trump_{self.suit}"]

    def __str__(self) -> str:
        return WORDS[self.id]


class PlayAction(NamedTuple):
    """A card by its name, such as ``TD``."""

    card: str

    @property
    def id(self) -> int:
        """11 to 62."""
        return IDS[self.card]

    def __str__(self) -> str:
        return self.card


AnyAction: TypeAlias = "str | int | BidAction | TrumpAction | PlayAction | list[int] | npt.NDArray[Any]"


def action_of(action: AnyAction) -> BidAction | TrumpAction | PlayAction:
    """Convert a string, an id, a one-hot vector or an action to an action; TypeError, ValueError."""
    number = _id_of_action(action)
    if number < FIRST_TRUMP:
        return BidAction(number and number + LOWEST - 1)
    return TrumpAction(WORDS[number][-1]) if number < FIRST_CARD else PlayAction(WORDS[number])


class Engine:
    """Plays successive deals; `seed` is for numpy's RandomState, None for a random one."""

    num_players = SEATS
    num_actions = len(WORDS)

    def __init__(self, seed: int | None = None) -> None:
        self._game = Codepiece()
        if seed is not None:
            seed = check_number(seed, f"a seed is an integer from 0 to {2**32 - 1}", bound=2**32)
        self._random = np.random.RandomState(seed)
        self._deal: Deal | None = None
        self._state: CodepieceState | None = None
        self._last = 0

    def init_game(self, hands: list[list[str]] | None = None, dealer: int | None = None) -> tuple[State, int]:
        """Deal, or use `hands` (four of 13 names) and `dealer`. Return the state and number of the bidder."""
        if (hands is None) != (dealer is None):
            raise ValueError("give both hands and dealer, or neither")
        if hands is None:
            deck = list(range(CARDS))
            self._random.shuffle(deck)
            dealt = tuple(tuple(deck.pop() for _ in range(HAND)) for _ in range(SEATS))
            self._deal = Deal(dealt, int(self._random.randint(0, SEATS)))
        else:
            deal = self._game.deal_from_json({"hands": hands, "dealer": dealer})
            self._game.given([deal])
            self._deal = deal
        self._state = self._game.start(self._deal)
        return self._state_to_act()

    def step(self, action: AnyAction) -> tuple[State, int]:
        """Do an action. Return the state and number of the next player.

        `action` is a string (``bid_8``), an id, one of the three classes, or a one-hot vector of 63.
        IllegalAction with the reason if it is illegal now, TypeError or ValueError if it is not an action,
        RuntimeError when the game is over; then nothing is changed.
        """
        state = self._state_in_progress()
        if not state.to_act:
            raise NoMatch("the game is over: call init_game()")
        seat = state.to_act[0]
        self._state, self._last = state.apply(seat, _id_of_action(action)), seat
        return self._state_to_act()

    def is_over(self) -> bool:
        return self._state is not None and not self._state.to_act

    def get_player_id(self) -> int:
        """Return the player to act, or after the end the last to act."""
        state = self._state_in_progress()
        return state.to_act[0] if state.to_act else self._last

    def get_payoffs(self) -> list[float]:
        """Return the points by player of the finished deal, without earlier deals."""
        state = self._state_in_progress()
        if state.to_act:
            raise RuntimeError("the game is not over")
        return [float(points) for points in state.points()]

    def get_legal_actions(self) -> list[str]:
        """Return the legal actions of the player to act, in order of id."""
        state = self._state_in_progress()
        return [WORDS[action] for action in state.legal(state.to_act[0])] if state.to_act else []

    def get_state(self, player: int) -> State:
        """Return a player's view, 20 entries in the published order; ValueError for an unknown player."""
        state = self._state_in_progress()
        _check_player(player)
        assert self._deal is not None
        phase = PHASES[_phase_index(state)]
        over, closed = phase == "game_over", phase != "bidding"
        side = state.leader & 1 if closed else None
        made = over and state.won[state.leader & 1] >= state.bid
        names = [DECK.names[card] for card in self._game.hand(state, player)]
        legal = state.legal(player) if player in state.to_act else ()
        return {
            "player_id": player,
            "team_id": player & 1,
            "phase": phase,
            "current_player_id": self.get_player_id(),
            "dealer_id": self._deal.seat,
            "hand": names,
            "hand_encoded": encode_cards(names),
            "highest_bid": state.bid or None,
            "winning_bid": state.bid if closed else None,
            "bidding_actions": [(seat, f"bid_{bid}" if bid else "pass") for seat, bid in state.bids],
            "trump_suit": _SUITS[state.trump] if state.trump >= 0 else None,
            "bidding_team_id": side,
            "defending_team_id": None if side is None else 1 - side,
            "current_trick": [
                ((state.opened + place) % SEATS, WORDS[card]) for place, card in enumerate(state.trick)
            ],
            "tricks_won": {0: state.won[0], 1: state.won[1]},
            "tricks_completed": sum(state.won),
            "legal_actions": [WORDS[action] for action in legal],
            "winner_team_id": (side if made else 1 - (side or 0)) if over else None,
            "penalty_amount": (state.bid if made else 2 * state.bid) if over else None,
            "payoffs": self.get_payoffs() if over else None,
        }

    def observe(self, player: int) -> Vector:
        """Return a player's observation, float32[233]; see `CodepieceObserver`. ValueError."""
        state = self._state_in_progress()
        _check_player(player)
        return observation(state, player, state.legal(player) if player in state.to_act else None)

    def _state_to_act(self) -> tuple[State, int]:
        player = self.get_player_id()
        return self.get_state(player), player

    def _state_in_progress(self) -> CodepieceState:
        if self._state is None:
            raise NotBegun("no game has begun: call init_game()")
        return self._state


def _check_player(player: object) -> None:
    if player not in range(SEATS):
        raise ValueError(f"{player!r} is not a player 0..{SEATS - 1}")


def _phase_index(state: CodepieceState) -> int:
    """Return 0 while bids are made, 1 for the choice of the trump, 2 in the play, 3 at the end."""
    if not state.to_act:
        return 3
    if state.trump >= 0:
        return 2
    return 1 if len(state.bids) >= SEATS else 0


def _id_of_action(action: AnyAction) -> int:
    """Return an action's id; TypeError, ValueError."""
    if isinstance(action, str):
        if action in IDS:
            return IDS[action]
        raise NoSuchAction(f"{action!r} is not an action: pass, bid_8 to bid_13, trump_S, H, D, C, or a card")
    if isinstance(action, BidAction | TrumpAction | PlayAction):
        return _id_of_action(str(action))
    if isinstance(action, list | tuple) or (isinstance(action, np.ndarray) and action.ndim):
        return _id_of_one_hot(action)
    return check_action(action, len(WORDS), "the engine")


def _id_of_one_hot(row: Any) -> int:
    """Return the id of a one-hot vector; TypeError, ValueError."""
    expected = f"a one-hot action has {len(WORDS)} numbers, one of them 1 and the others 0"
    try:
        cells = np.asarray(row)
    except ValueError:
        raise NoSuchAction(expected) from None
    if cells.dtype.kind not in "biuf":
        raise WrongActionType(f"{expected}, not {cells.dtype}")
    if cells.shape != (len(WORDS),) or np.count_nonzero(cells) != 1 or cells.max() != 1:
        raise NoSuchAction(expected)
    return int(cells.argmax())
