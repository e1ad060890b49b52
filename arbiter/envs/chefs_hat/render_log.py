"""A game of Chef's Hat taken down as it is played, to be shown to people."""

from __future__ import annotations

from collections.abc import Sequence

from arbiter.envs.chefs_hat.steps import StepwisePlay
from arbiter.envs.play import NOBODY
from arbiter.envs.render import scene
from arbiter.errors import IllegalAction
from arbiter.frame import frame_of
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.rules import Action, Answered, AnyGame, Seat


class RenderLog:
    """A `Log` that keeps the match in progress, or the last one."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._answers: list[Answered] = []
        self._state: ChefsHatState | None = None

    def begin(self) -> None:
        """Until a match begins, the last one is shown."""

    def dealt(self, state: ChefsHatState) -> None:
        self._answers, self._state = [], state

    def done(self, before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState) -> None:
        words = self._game.action_text(before, seat, action)
        self._answers.append(Answered(seat, before.request, words))
        self._state = after

    def end(self) -> None:
        """The last match stays."""

    def text(self, play: StepwisePlay, names: Sequence[str], note: str) -> str:
        """The match as `render.text` shows those of other games."""
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
        tally = play.moment.tally
        number = tally.matches + (play.actor != NOBODY)
        frame = frame_of(game, state, points=tally.points, to_act=play.actor)
        return scene(game, number, frame, sheet, names, note)
