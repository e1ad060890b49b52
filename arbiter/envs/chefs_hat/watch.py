"""A game of Chef's Hat taken down as it is played, so that it can be shown to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.envs.play import NOBODY
from arbiter.envs.render import scene
from arbiter.errors import IllegalAction
from arbiter.rules import Answered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.envs.chefs_hat.steps import Log, Table
    from arbiter.games.chefs_hat.state import ChefsHatState
    from arbiter.rules import Action, AnyGame, Seat


class Watch:
    """A table's log that keeps the match in progress, and tells another log, if there is one."""

    def __init__(self, game: AnyGame, further: Log | None) -> None:
        self._game, self._further = game, further
        self._answers: list[Answered] = []
        self._state: ChefsHatState | None = None

    def begin(self) -> None:
        """See `Log`."""
        if self._further is not None:
            self._further.begin()

    def dealt(self, state: ChefsHatState) -> None:
        """See `Log`."""
        self._answers, self._state = [], state
        if self._further is not None:
            self._further.dealt(state)

    def done(self, before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState) -> None:
        """See `Log`."""
        game = self._game
        words = game.action_text(before, seat, action)
        self._answers.append(Answered(seat, game.request(before, seat), words))
        self._state = after
        if self._further is not None:
            self._further.done(before, seat, action, after)

    def end(self) -> None:
        """See `Log`."""
        if self._further is not None:
            self._further.end()

    def text(self, table: Table, names: Sequence[str], note: str) -> str:
        """The match in progress, or the last one; see `render.text`."""
        state, game = self._state, self._game
        if state is None:
            return "no game has begun\n"
        # With all that was drawn meanwhile, so that it can be gone through once more.
        deal = game.deal_from_json(game.deal_record(state.deal, state))
        try:
            sheet = list(game.scoresheet(deal, self._answers))
        except IllegalAction:
            # Under `gym2` four passes at once make somebody else lead than at a tournament.
            sheet = [f"{seat}: {words}" for seat, _, words in self._answers]
        tally = table.position.tally
        number = tally.matches + (table.actor != NOBODY)
        return scene(game, number, tally.points, state, table.actor, sheet, names, note)
