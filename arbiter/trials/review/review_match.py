"""Review a match: a program evaluates the answers at each decision; the costliest become sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from arbiter.games import make
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.replay.decision_loss import SURE, LossSums, judge_decision, rounded
from arbiter.replay.match_review import FORMAT, PHASES
from arbiter.trials.review.evaluator import ANSWERS
from arbiter.trials.review.luck import best_value, leads_of, luck_of_deals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.games.game import AnyGame, Command, Deal, Seat
    from arbiter.match.record import MatchRecord, Move
    from arbiter.replay.match_review import Phase, Review, ReviewedDecision, ReviewedSeat
    from arbiter.trials.review.evaluator import Evaluator

FURTHER = 12
"""Further requests for a decision that may be a mistake."""
DOUBTED = 1.5
"""A decision may be a mistake if its loss is more than this many standard errors above 0."""
WORST = 5
"""Number of costliest decisions that a review names, mistakes first."""


def review_match(record: MatchRecord, reference: Evaluator, budget_ms: int) -> Review:
    """Replay a match to `reference` and return the review; BotCheckFailed, StoreError for a bad record."""
    return _MatchReviewer(record, reference).review(budget_ms)


class _MatchReviewer:
    """A match under review; `_fresh` are the seats that so far know only their cards in a deal."""

    def __init__(self, record: MatchRecord, reference: Evaluator) -> None:
        self._record, self._reference = record, reference
        self._game: AnyGame = make(record.game, record.options)
        self._win: list[float | None] = [None] * self._game.seats
        self._decisions: list[ReviewedDecision] = []
        self._phases = phases_of(record.moves)
        self._fresh: set[Seat] = set()
        self._hands: list[tuple[Deal, list[float | None]]] = []
        self._loss: dict[tuple[Seat, Phase], LossSums] = {}

    def review(self, budget_ms: int) -> Review:
        """Replay the match to the reference, and return the review as JSON values."""
        game, record = self._game, self._record
        self._reference.begin()
        self._send_wordings(game.greeting())
        for seat in range(game.seats):
            self._reference.send_time(seat)
        place = 0
        for event in retrace(record, game):
            if isinstance(event, Dealt):
                self._send_wordings(game.dealt(event.deal))
                self._fresh = set(range(game.seats))
                self._hands.append((event.deal, [None] * game.seats))
            elif isinstance(event, Moved):
                self._review_decision(event, place)
                for hearers, command in game.news(event.before, event.move.seat, event.action, event.after):
                    self._send(hearers, command)
                place += 1
        if not any(decision["se"] for decision in self._decisions):
            # A deterministic program shows no uncertainty; a random one is sure if all answers are equal.
            for decision in self._decisions:
                decision["se"], decision["mistake"] = None, False
        for decision in self._decisions:
            decision["excuse"] = excuse_of(decision)
        worst = sorted(
            (decision for decision in self._decisions if (decision["loss"] or 0) > 0),
            # A loss within the uncertainty may be noise.
            key=lambda decision: (not decision["mistake"], -(decision["loss"] or 0), decision["i"]),
        )[:WORST]
        for decision in worst:
            decision["say"] = decision_text(game, decision)
        luck, points = luck_of_deals(self._reference, game, self._hands), record.points
        return {
            "format": FORMAT,
            "match": record.id,
            "by": self._reference.name,
            "budget": budget_ms,
            "answers": ANSWERS,
            "decisions": self._decisions,
            "seats": [self._reviewed_seat(seat) for seat in range(game.seats)],
            "luck": luck,
            "leads": [None] * game.seats if points is None else leads_of(game, points, luck),
            "worst": [decision["i"] for decision in worst],
        }

    def _review_decision(self, event: Moved, place: int) -> None:
        """Ask for the values of a decision, more often for a doubtful loss, and add its judgement."""
        move = event.move
        answers = self._reference.value(self._game, event.before, move.seat)
        first = judge_decision(answers, move.action)
        if move.seat in self._fresh and self._hands[-1][1][move.seat] is None:
            self._hands[-1][1][move.seat] = best_value(answers)[1]
        judged = first
        if first.se and (first.loss or 0) > DOUBTED * first.se:
            more = self._reference.value(self._game, event.before, move.seat, FURTHER, again=True)
            answers = [*answers, *more]
            judged = judge_decision(answers, move.action)
        if judged.win is not None:
            sides = len(set(self._game.sides or range(self._game.seats)))
            self._win = [1 / sides if win is None else win for win in self._win]
            self._win[move.seat] = judged.win
        phase = self._phases[place]
        # A single option cannot be an error: counting it would favour bots that are forced more often.
        if first.loss is not None and len(first.values) > 1:
            known = self._loss.get((move.seat, phase), LossSums())
            # Only the first answers: further ones, for large losses only, would bias the mean downwards.
            self._loss[move.seat, phase] = known.plus(first.loss)
        self._decisions.append(
            {
                "i": place,
                "seat": move.seat,
                "deal": move.deal,
                "phase": phase,
                "request": move.request,
                "done": move.action,
                "best": judged.best,
                "loss": rounded(judged.loss),
                "se": rounded(judged.se),
                "mistake": judged.mistake,
                "excuse": "",
                "chance_lost": rounded(judged.chance_lost),
                "values": {option: round(points, 3) for option, points in judged.values.items()},
                "win": [rounded(win) for win in self._win],
            }
        )

    def _reviewed_seat(self, seat: Seat) -> ReviewedSeat:
        losses = {phase: self._loss.get((seat, phase), LossSums()) for phase in PHASES}
        mistakes = sum(decision["mistake"] for decision in self._decisions if decision["seat"] == seat)
        return {
            "seat": seat,
            "player": self._record.players[seat],
            "mistakes": mistakes,
            "phases": {phase: of.shape for phase, of in losses.items()},
            **LossSums.together(losses.values()).shape,
        }

    def _send_wordings(self, wordings: Iterable[Sequence[Command]]) -> None:
        for wording in wordings:
            for seat, command in enumerate(wording):
                self._send((seat,), command)

    def _send(self, hearers: Iterable[Seat], command: Command) -> None:
        """Send seats a command: they know more than their cards now."""
        for seat in hearers:
            self._fresh.discard(seat)
            self._reference.send_news(seat, command)


def phases_of(moves: Sequence[Move]) -> list[Phase]:
    """Return each decision's phase: "declaration", or in its deal's play, the most frequent request, "early"
    or "late"; of equally frequent requests the last is the play.
    """
    requests = [move.request.partition(" ")[0] for move in moves]
    counts = Counter(reversed(requests))
    play = counts.most_common(1)[0][0] if counts else ""
    in_deal = Counter(move.deal for move, request in zip(moves, requests, strict=True) if request == play)
    seen: Counter[int] = Counter()
    found: list[Phase] = []
    for move, request in zip(moves, requests, strict=True):
        if request != play:
            found.append("declaration")
            continue
        found.append("early" if 2 * seen[move.deal] < in_deal[move.deal] else "late")
        seen[move.deal] += 1
    return found


def decision_text(game: AnyGame, decision: ReviewedDecision) -> str:
    """Return a sentence on a decision without its player.

    ``declares 0, worth 2.4 points. Better: declares 1, worth 5.1. Loss: 2.7 ± 0.3.``
    """
    request, done, best, loss = decision["request"], decision["done"], decision["best"], decision["loss"]
    if best is None or loss is None:
        return f"{game.says(request, done)}."
    values, lost = decision["values"], decision["chance_lost"]
    spread = "" if decision["se"] is None else f" \N{PLUS-MINUS SIGN} {decision['se']:.1f}"
    chance = f", and {100 * lost:.0f} % of the chance to win" if lost is not None and lost >= 0.005 else ""
    was, better = game.says(request, done), game.says(request, best)
    return (
        f"{was}, worth {_points(values[done])} points. Better: {better}, worth {_points(values[best])}."
        f" Loss: {_points(loss)}{spread}{chance}."
    )


def _points(value: float) -> str:
    """Return points with one decimal and a minus sign, never -0."""
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "\N{MINUS SIGN}")


def excuse_of(decision: ReviewedDecision) -> str:
    """Return why a loss is no mistake: no uncertainty given, within it, more chance to win; else ""."""
    loss, se, lost = decision["loss"], decision["se"], decision["chance_lost"]
    if decision["mistake"] or loss is None or loss <= 0:
        return ""
    if se is None:
        return "the program gives no uncertainty"
    if loss > SURE * se:
        assert lost is not None
        return f"for {100 * -lost:.0f} % more chance to win"
    return "within the uncertainty"
