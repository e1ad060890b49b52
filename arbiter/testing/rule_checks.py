"""Checks that a game keeps every promise of the `Game` interface, by random play."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import NoReturn

from arbiter.games.cards import Card, Stream
from arbiter.games.game import Action, AnyGame, Deal, Seat, State
from arbiter.match.in_memory import match_spec, play_by_policy, random_policy
from arbiter.match.record import MatchRecord
from arbiter.testing.leak_check import Actions, Reveals, find_information_gap, find_leak
from arbiter.testing.positions import LINE, Positions


class BrokenPromise(AssertionError):
    """A game does not keep a promise of the `Game` interface; `promise` names it."""

    def __init__(self, promise: str, detail: str) -> None:
        self.promise = promise
        super().__init__(f"broken promise: {promise}\n{detail}")


def check_game(
    game: AnyGame,
    *,
    seed: str = "check",
    matches: int = 2,
    rotations: bool = True,
    copies: bool = False,
    reveals: Reveals | None = None,
    heard: bool = True,
    bound: int = 10_000,
) -> None:
    """Play random matches and check every promise of the interface; raise BrokenPromise at the first broken.

    This includes the leak test (exchanging hidden cards changes nothing that a seat receives, is asked or
    may do, as long as the same actions are legal with either deal) and the test of the information state
    (what a seat received yields all that it may see, by the same rules with other cards unknown).

    Args:
        rotations: False if the rules treat seats differently.
        copies: True if a deck has equal cards, so that several share a name.
        reveals: True for two deals if the rules show a seat which one was dealt, beyond what is played.
        heard: False skips the test of the information state, for a game whose rules cannot apply unknown
            cards; no policy can then play it as a bot.
        bound: the maximum number of actions in a match.
    """
    _GameCheck(game, seed, rotations, copies, reveals, heard, bound).run(matches)


_REFEREE_COMMAND = re.compile(r"(?:gen_|time_left\b|quit\b).*")


class _GameCheck:
    """One run of `check_game`; keeps the deal and the actions so far for the message."""

    def __init__(
        self,
        game: AnyGame,
        seed: str,
        rotations: bool,
        copies: bool,
        reveals: Reveals | None,
        heard: bool,
        bound: int,
    ) -> None:
        self._game, self._seed, self._bound = game, seed, bound
        self._rotations, self._copies, self._reveals, self._heard = rotations, copies, reveals, heard
        self._all_seats = range(game.seats)
        self._draw = Stream("check_game", seed).draw
        self._positions = Positions(game, self._draw, self._break)
        self._actions = 0
        self._rebuilt = game
        self._known: set[Card] = set()
        self._deal: Deal | None = None
        self._played: Actions = []

    def run(self, matches: int) -> None:
        """Check the constructor and random matches; any error but BrokenPromise is a broken promise, too."""
        try:
            self._check_constructor()
            self._check_wordings("greeting", self._game.greeting())
            for match in range(matches):
                self._check_match(f"{self._seed}/{match}")
        except BrokenPromise:
            raise
        except Exception as error:
            self._break("no method raises anything but IllegalAction", repr(error), error)

    def _break(self, promise: str, detail: str, cause: Exception | None = None) -> NoReturn:
        """Raise BrokenPromise with the detail, the deal and the actions so far."""
        lines = [f"{self._game.name}: {detail}"]
        if self._deal is not None:
            lines.append(f"deal: {self._deal!r}")
            lines.append(f"after (seat, action): {self._played}")
        raise BrokenPromise(promise, "\n".join(lines)) from cause

    def _check(self, kept: bool, promise: str, detail: object = "") -> None:
        """Report a broken promise unless it is `kept`."""
        if not kept:
            self._break(promise, str(detail))

    # Promises about the game.

    def _check_constructor(self) -> None:
        """Check counts, seatings, options and pickling; keep the game rebuilt from its options."""
        game, hold = self._game, self._check
        hold(game.seats >= 2 and game.actions >= 1, "seats and actions are counts")
        hold(game.sides is None or len(game.sides) == game.seats, "sides has an entry per seat")
        sat = [Counter(places) for places in zip(*game.seatings, strict=True)]
        fair = len(sat) == game.seats and all(seat == sat[0] and len({*seat.values()}) == 1 for seat in sat)
        hold(fair, "every player of a table sits on every seat as often", game.seatings)
        options = json.loads(json.dumps(game.options))
        hold(options == game.options, "options are JSON values", game.options)
        undocumented = set(options) - set(game.option_help)
        hold(not undocumented, "every option is in option_help", undocumented)
        rebuilt = type(game)(**options)
        if game._given is not None:
            rebuilt = rebuilt.given(game._given)
        same = rebuilt == game and hash(rebuilt) == hash(game)
        hold(same, "options build an equal game", options)
        self._rebuilt = rebuilt
        hold(pickle.loads(pickle.dumps(game)) == game, "a game pickles")

    def _check_wordings(self, what: str, wordings: Iterable[tuple[str, ...]]) -> None:
        """Check that each wording has a valid command for each seat."""
        for wording in wordings:
            worded = len(wording) == self._game.seats
            self._check(worded, f"{what} has a command for each seat", wording)
            for command in wording:
                self._check_command(what, command)

    def _check_command(self, what: str, text: str) -> None:
        """Check that a command is one plain line, and none of the referee's."""
        self._check(bool(LINE.fullmatch(text)), f"{what} is one line of plain words", repr(text))
        self._check(not _REFEREE_COMMAND.fullmatch(text), f"{what} uses no command of the referee", text)

    # Promises about a match.

    def _check_match(self, seed: str) -> None:
        """Play a random match and check its deals, news, turns and leaks; then play it by the protocol."""
        game, hold = self._game, self._check
        self._actions = 0
        deals: list[Deal] = []
        played: list[Actions] = []
        last: State | None = None
        # Collect the cards first: the leak test exchanges dealt ones for others of the deck.
        for number in range(1 if game.chained else 4):
            deal = self._next_deal(seed, number, None)
            if deal is None:
                break
            self._known.update(card for hand in deal.hands for card in hand)
        for number in count():
            deal = self._next_deal(seed, number, last)
            if deal is None:
                break
            deals.append(deal)
            self._deal, self._played = deal, []
            self._check_deal(deal)
            last = self._play(deal)
            played.append(self._played)
            if self._rotations:
                self._check_rotations(deal, last)
            self._check_leaks(deal, greeting=number == 0)
            hold(number < self._bound, "a match ends", f"{number} deals")
        if self._heard and (misheard := find_information_gap(game, deals, played)) is not None:
            self._deal, self._played = deals[misheard.deal], played[misheard.deal][: misheard.actions]
            self._break("what a seat received yields all that it may see", misheard.detail)
        self._deal = None
        again = game.given(deals)
        playing = [again.deal(number, Stream("any"), None) for number in range(len(deals) + 1)]
        hold(playing == [*deals, None], "given deals are played exactly", playing)
        self._check_refereed(seed, deals)

    def _next_deal(self, seed: str, number: int, last: State | None) -> Deal | None:
        """Return a deal, after a check that it is the same each time and by the rebuilt game."""

        def draw_deal(last: State | None) -> Deal | None:
            return self._game.deal(number, Stream.of_deal(seed, 1, number), last)

        deal = draw_deal(last)
        promise = "a deal depends only on its number, its stream and the previous deal"
        self._check(deal == draw_deal(last), promise, f"deal {number}: {deal}")
        again = self._rebuilt.deal(number, Stream.of_deal(seed, 1, number), last)
        self._check(deal == again, "options build an equal game", f"deal {number}: {deal}, {again}")
        if not self._game.chained:
            promise = "a deal does not depend on play unless the game is chained"
            self._check(deal == draw_deal(None), promise, f"deal {number}: {deal}")
        return deal

    def _check_refereed(self, seed: str, deals: list[Deal]) -> None:
        """Play the same random match, strict and batched, through referee and protocol."""
        game, hold = self._game, self._check
        records = []
        for delivery in ("strict", "batched"):
            spec = match_spec(game, seed=seed, delivery=delivery)
            records.append(play_by_policy(game, random_policy(seed), spec))
        strict, batched = records
        hold(strict.forfeit is None, "legal play forfeits nothing", strict.forfeit)
        same = strict.points == batched.points and strict.moves == batched.moves
        hold(same, "strict and batched delivery make the same match")
        read = MatchRecord.from_json(json.loads(json.dumps(strict.to_json())))
        hold(read == strict, "a record survives JSON", strict)
        if not game.chained:
            shapes = tuple(game.deal_json(deal) for deal in deals)
            hold(strict.deals == shapes, "all matches from a seed have the same deals")

    # Promises about a deal.

    def _check_deal(self, deal: Deal) -> None:
        """Check a deal's hands, seat, card names, JSON and wordings; note its cards."""
        game, hold = self._game, self._check
        hold(len(deal.hands) == game.seats, "a deal has a hand for each seat")
        hold(0 <= deal.seat < game.seats, "a deal's seat is a seat", deal.seat)
        hold(hash(deal) == hash(replace(deal)), "deals are hashable")
        cards = [card for hand in deal.hands for card in hand]
        if not self._copies:
            hold(len(set(cards)) == len(cards), "no card is dealt twice")
            names = {game.card_name(card) for card in cards}
            hold(len(names) == len(cards), "every card has a unique name", sorted(names))
        for card in {*cards, *deal.extra}:
            name = game.card_name(card)
            hold(bool(LINE.fullmatch(name)), "a card's name is one plain word", repr(name))
            found = game.card_of(name)
            same = found == card or (self._copies and game.card_name(found) == name)
            hold(same, "card_of finds what card_name named", f"{card} {name} {found}")
        shape = game.deal_json(deal)
        written = json.loads(json.dumps(shape))
        hold(written == shape, "deal_json writes JSON values", shape)
        read = game.deal_from_json(written)
        same = read == deal or (self._copies and game.deal_json(read) == shape)
        hold(same, "deal_from_json reads what deal_json wrote", read)
        self._check_wordings("dealt", game.dealt(deal))
        self._known.update(cards)

    def _play(self, deal: Deal) -> State:
        """Play a deal at random to its end, keep the actions in `_played`, and return the final state."""
        game, hold = self._game, self._check
        state: State = game.start(deal)
        twin: State = game.start(deal)
        begin, mark = state, hash(state)
        for seat in self._all_seats:
            names = sorted(game.card_name(card) for card in game.hand(state, seat))
            dealt = sorted(game.card_name(card) for card in deal.hands[seat])
            hold(names == dealt, "a hand is what was dealt, until its seat acts", names)
        while to_act := state.to_act:
            ordered = isinstance(to_act, tuple) and list(to_act) == sorted(set(to_act))
            hold(ordered and set(to_act) <= {*self._all_seats}, "to_act is seats, ascending", to_act)
            self._positions.check(state, twin)
            seat = to_act[0]
            legal = state.legal(seat)
            action = legal[self._draw(len(legal))]
            after = state.apply(seat, action)
            self._check_news(state, seat, action, after)
            self._played.append((seat, action))
            state, twin = after, twin.apply(seat, action)
            self._actions += 1
            hold(self._actions <= self._bound, "a match ends", f"{self._actions} actions")
        for seat in self._all_seats:
            self._positions.check_none_legal(state, seat, "nothing is legal when to_act is empty")
        points = state.points()
        fit = isinstance(points, tuple) and [type(n) for n in points] == [int] * game.seats
        hold(fit, "points is a tuple of an integer for each seat", points)
        unchanged = begin == game.start(deal) and hash(begin) == mark
        hold(unchanged, "a state never changes", "the first state of the deal")
        return state

    def _check_news(self, before: State, seat: Seat, action: Action, after: State) -> None:
        """Check who gets the news of an action, and its commands."""
        news = list(self._game.news(before, seat, action, after))
        if len(before.to_act) > 1:
            promise = "no news is sent before the last of simultaneous decisions"
            self._check(not news, promise, f"seat {seat}, action {action}: {news}")
        for seats, command in news:
            ordered = list(seats) == sorted(set(seats)) and set(seats) <= {*self._all_seats}
            self._check(ordered, "news goes to seats, ascending", f"{seats}: {command}")
            self._check_command("news", command)

    def _check_rotations(self, deal: Deal, final: State) -> None:
        """Play a deal again by each shift of seats; check that its points shift, too."""
        n = self._game.seats
        promise = "rotating a deal's hands and roles rotates its play and points"
        for shift in range(1, n):
            state = self._game.start(deal.rotated(shift))
            for done, (seat, action) in enumerate(self._played):
                moved = (seat + shift) % n
                same = moved in state.to_act and state.allows(moved, action)
                self._check(same, promise, f"by {shift} seats, at action {done}")
                state = state.apply(moved, action)
            points = state.points() if not state.to_act else None
            expected = tuple(final.points()[(seat - shift) % n] for seat in self._all_seats)
            self._check(points == expected, promise, f"by {shift} seats: {points}")

    def _check_leaks(self, deal: Deal, *, greeting: bool) -> None:
        """Exchange hidden cards and play again; see `find_leak`."""
        seen = deal, self._played, self._known
        leak = find_leak(self._game, *seen, self._draw, self._reveals, greeting=greeting)
        if leak is not None:
            self._played = self._played[: leak.actions]
            self._break("a seat learns nothing of cards that it cannot see", leak.detail)
