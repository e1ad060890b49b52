"""Chef's Hat as rows of a data set: one row per event, in the 15 columns of the published data sets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from arbiter.games.chefs_hat.actions import NO_SPECIAL, SPECIALS, STEP_NAMES
from arbiter.games.chefs_hat.deal import ROLES, SEATS, roles_after, shape_of_gifts
from arbiter.games.chefs_hat.gym_observation import NO_ROLES, Tally, role_names
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.games.game import Action, Seat

_TYPES = (
    "START_EXPERIMENT", "NEW_MATCH", "DEAL_CARDS", "DECLARE_SPECIAL_ACTION", "CARD_EXCHANGE", "DISCARD",
    "DECLARE_PIZZA", "END_MATCH", "END_EXPERIMENT",
)  # fmt: skip
_DESCRIPTIONS = (
    "of DISCARD: C11;Q2;J0 or pass; of CARD_EXCHANGE: JSON, [[giver, taker, [card, ...]], ...]; "
    "of DECLARE_SPECIAL_ACTION: its name; of END_EXPERIMENT: the fault that ended it"
)
_HANDS = (
    "a list of hands: of DEAL_CARDS and CARD_EXCHANGE all four by seat, "
    "of DISCARD the player's alone, after it, 17 cells"
)
CHEFS_HAT_COLUMNS: dict[str, Any] = {
    "Match": ("int", "the deal within the game, from 1; 0 before the first"),
    "Round": ("int", "from one pizza to the next, from 1; 0 before the first discard"),
    "Agent_Names": ("texts", "of START_EXPERIMENT: the players by seat"),
    "Source": ("text", "the player who acted, or SYSTEM"),
    "Action_Type": ("text", ", ".join(_TYPES)),
    "Action_Description": ("text", _DESCRIPTIONS),
    "Player_Finished": ("bool", "of DISCARD: whether the player has no cards left"),
    "Player_Hands": ("hands", _HANDS, "values 1 to 12, 0 for a card played"),
    "Board_Before": ("ints", "of DISCARD: the 11 cells of the board", "values 1 to 13, 0 for none"),
    "Board_After": ("ints", "the same after it", "values 1 to 13, 0 for none"),
    "Possible_Actions": ("texts", "of DISCARD: what was listed for the player"),
    "Current_Roles": (
        "texts by name",
        "of NEW_MATCH, DECLARE_SPECIAL_ACTION and the ends: each player's role",
    ),
    "Match_Score": ("ints by name", "of END_MATCH: of the match that ends", "points"),
    "Game_Score": ("ints by name", "of NEW_MATCH and the ends: of all matches so far", "points"),
    "Game_Performance_Score": (
        "floats by name",
        "of the ends: the mean over matches of ten times the points by the rounds",
        "points a round, times 10",
    ),
}
"""The columns: the type of their values, which may be null, their meaning, and their unit."""
SYSTEM = "SYSTEM"


class ChefsHatRows:
    """Generates the rows of games, one after the other; `names` are the players by seat.

    `Match` and `Round` count from 1 and are 0 before the first. A DISCARD has its round, its player's
    hand after it (17 cells), and the actions that were possible before it.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._tally = Tally()
        self._match = self._round = 0
        self._roles: Sequence[str] = NO_ROLES

    def begin(self) -> Iterator[dict[str, Any]]:
        """Begin a game and yield START_EXPERIMENT."""
        self._tally, self._match, self._round, self._roles = Tally(), 0, 0, NO_ROLES
        yield self._row("START_EXPERIMENT", Agent_Names=list(self._names))

    def dealt(self, state: ChefsHatState) -> Iterator[dict[str, Any]]:
        """Count a match; yield NEW_MATCH, DEAL_CARDS, then the decisions that a given deal contains."""
        self._match, self._round = self._match + 1, 0
        deal = state.deal
        roles = self._by_player(role_names(deal.roles))
        yield self._row("NEW_MATCH", Current_Roles=roles, Game_Score=self._by_player(self._tally.points))
        yield self._row("DEAL_CARDS", Player_Hands=[list(hand) for hand in deal.hands])
        if deal.special is not None:
            yield self._special_row(*deal.special, state)
        yield from self._exchange_row(state)

    def done(
        self, before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState
    ) -> Iterator[dict[str, Any]]:
        """Yield an action's rows: DISCARD, DECLARE_PIZZA, END_MATCH, or its decision; keep the score."""
        if not before.in_play:
            if before.asking_special and action != NO_SPECIAL:
                yield self._special_row(seat, action, after)
            yield from self._exchange_row(after)
            return
        self._round = before.rounds
        yield self._row(
            "DISCARD",
            self._names[seat],
            Action_Description=STEP_NAMES[action],
            Player_Finished=not after.hand(seat),
            Player_Hands=[list(after.cells(seat))],
            Board_Before=list(before.board),
            Board_After=list(before.board_after(seat, action)),
            Possible_Actions=[STEP_NAMES[a] for a in sorted((*before.legal(seat), *before.refused(seat)))],
        )
        if after.rounds > self._round:
            yield self._row("DECLARE_PIZZA", self._names[after.last])
        if not after.to_act:
            # The performance score divides by this: under gym2 a pizza of the last discard counts, too.
            self._round = after.rounds
            self._tally = self._tally.after(after)
            points = after.points()
            self._roles = [ROLES[role] for role in roles_after(points)]
            yield self._row("END_MATCH", Match_Score=self._by_player(points), **self._role_and_score_cells())

    def end(self, description: str) -> Iterator[dict[str, Any]]:
        """Yield END_EXPERIMENT; `description` is the reason of an early end, or ""."""
        yield self._row(
            "END_EXPERIMENT",
            Action_Description=description or None,
            **self._role_and_score_cells(),
        )

    def _row(self, kind: str, source: str = SYSTEM, **cells: Any) -> dict[str, Any]:
        """Return a row with these cells, its match, round, source and kind; None in all other columns."""
        row: dict[str, Any] = dict.fromkeys(CHEFS_HAT_COLUMNS)
        row |= {"Match": self._match, "Round": self._round, "Source": source, "Action_Type": kind}
        return row | cells

    def _by_player(self, values: Sequence[Any]) -> dict[str, Any]:
        return dict(zip(self._names, values, strict=True))

    def _role_and_score_cells(self) -> dict[str, Any]:
        """Return the roles by the places in the last match, and the scores that include it."""
        return {
            "Current_Roles": self._by_player(self._roles),
            "Game_Score": self._by_player(self._tally.points),
            "Game_Performance_Score": self._by_player(self._tally.performance),
        }

    def _special_row(self, seat: Seat, action: Action, after: ChefsHatState) -> dict[str, Any]:
        return self._row(
            "DECLARE_SPECIAL_ACTION",
            self._names[seat],
            Action_Description=SPECIALS[action - NO_SPECIAL],
            Current_Roles=self._by_player(role_names(after.setting.roles)),
        )

    def _exchange_row(self, after: ChefsHatState) -> Iterator[dict[str, Any]]:
        """Yield CARD_EXCHANGE if the play has begun: gifts, ``[[giver, taker, [cards]], ...]``; new hands."""
        gifts = after.setting.exchange
        if after.in_play and gifts is not None:
            yield self._row(
                "CARD_EXCHANGE",
                Action_Description=json.dumps(shape_of_gifts(gifts)),
                Player_Hands=[list(after.cells(seat)) for seat in range(SEATS)],
            )
