"""Snapshot of a match, limited to what its reader may see. All front ends render it.

frame_at(Position.opening(game, "seed"), seat=0).hands
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.games.cards import Card
    from arbiter.games.game import AnyGame, Command, Exchange, Seat, State
    from arbiter.match.position import Position
    from arbiter.replay.schema import CardFace, FrameChanges

NOBODY: Seat = -1
"""A reader who sees no hand."""
LEGAL = 20
"""Maximum number of legal answers listed."""


class Laid(NamedTuple):
    """A seat's play on the table, in the game's words, and the names of its cards."""

    seat: Seat
    words: str
    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A match as a reader may see it; JSON values and tuples of them.

    `hands` by seat, names of cards, ascending, None for a hidden hand; `counts` the number of cards in each;
    `table` the plays, in order; `roles` other public values: a list with one value per seat is by seat.
    `to_act` is the seat that must answer `request`, None if no seat or hidden; `legal` are its answers, empty
    if hidden. `points` by seat are those of finished deals; `say` describes the last event in a sentence.
    """

    hands: tuple[tuple[str, ...] | None, ...]
    counts: tuple[int, ...]
    table: tuple[Laid, ...]
    roles: Mapping[str, Any]
    to_act: Seat | None = None
    request: Command = ""
    legal: tuple[str, ...] = ()
    points: tuple[int, ...] = ()
    say: str = ""


def frame_of(game: AnyGame, state: State, seat: Seat | None = None, **further: Any) -> Frame:
    """Return a deal as `seat` may see it, None for everything; `further` are more fields."""
    hands = [game.hand(state, owner) for owner in range(game.seats)]
    seen = tuple(
        tuple(map(game.card_name, hand)) if seat in (None, owner) else None
        for owner, hand in enumerate(hands)
    )
    table = tuple(Laid(who, words, game.cards_of(words)) for who, words in game.table(state))
    return Frame(seen, tuple(map(len, hands)), table, game.roles(state), **further)


def frame_at(position: Position, seat: Seat | None = None) -> Frame:
    """Return a match between two decisions, as `seat` may see it, None for everything."""
    game, state, to_act = position.game, position.state, position.to_act
    if to_act is None or seat not in (None, to_act):
        return frame_of(game, state, seat, points=position.totals)
    further = {"to_act": to_act, "request": position.request, "legal": tuple(position.words())}
    return frame_of(game, state, seat, points=position.totals, **further)


class FrameRecorder:
    """Records the frames of a match while a replay is built, each after the replay event it belongs to.

    `seat` as for `frame_of`. `changes` has, by event, the changed parts of the frame: the play `laid`, which
    left its player's hand, or all hands, counts and table where more has changed.
    """

    def __init__(self, game: AnyGame, players: Sequence[str], seat: Seat | None) -> None:
        self._game, self._seat = game, seat
        self._names = names_in_text(players)
        self._hands = _Hands(game, seat)
        self._laid: list[Laid] = []
        self._added = 0  # plays since the last frame
        self._is_over = False  # the next card clears the table
        self._untold: dict[Seat, str] = {}
        self._roles: Mapping[str, Any] = {}
        self._request = ""
        self._points = (0,) * game.seats
        self._has_points = True  # points changed since the last frame
        self._said: list[str] = []
        self._cards: dict[str, None] = {}
        self.changes: dict[int, FrameChanges] = {}
        self._last: FrameChanges = {}

    def start_deal(self, number: int, cards: Iterable[str]) -> None:
        """Forget hands and plays, begin a deal of which the reader sees `cards`, and add a sentence."""
        self._hands = _Hands(self._game, self._seat)
        self._laid, self._added, self._is_over = [], 0, False
        self._untold.clear()
        self._see(cards)
        self._said.append(f"Deal {number + 1} begins.")

    def record_request(self, seat: Seat, request: Command) -> None:
        """Set in the last frame the seat that was asked, and the request if it is another one."""
        self._last["to_act"] = seat
        if request != self._request:
            self._last["request"] = self._request = request

    def record_move(
        self, seat: Seat, request: Command, words: str, public: Sequence[tuple[Seat, str]], laid: str
    ) -> None:
        """Record a seat's answer `words`; `public` are the answers that become known, `laid` the play."""
        public = public or ([(seat, laid)] if laid else [])
        self._said += [f"{self._names[who]} {self._game.says(request, what)}." for who, what in public]
        if public:
            self._untold.clear()
        elif self._seat in (None, seat):
            self._untold[seat] = words
            does = self._game.says(request, words)
            self._said.append(f"{self._names[seat]} {does}, which the others do not know yet.")
        if laid:
            cards = self._game.cards_of(laid)
            self._see(cards)
            if self._is_over:
                self._laid, self._is_over = [], False
            self._laid.append(Laid(seat, laid, cards))
            self._added += 1

    def clear_table(self, taker: Seat | None, state: State) -> None:
        """Let the next play clear the table if a move took its cards (add a sentence), or left it empty."""
        if taker is not None:
            self._is_over = True
            self._said.append(f"{self._names[taker]} {self._game.takes}.")
        elif not self._is_over and any(one.cards for one in self._laid):
            self._is_over = not self._game.table(state)

    def record_exchange(self, gift: Exchange, seen: bool) -> None:
        """Add a sentence on a gift, with its cards if they are `seen`."""
        self._untold.clear()
        what = self._game.say_cards(gift.cards) if seen else f"{len(gift.cards)} hidden"
        self._said.append(f"{self._names[gift.giver]} gives {self._names[gift.taker]} {what}.")
        self._see(gift.cards if seen else ())

    def end_deal(self, number: int, points: Sequence[int], state: State) -> None:
        """Add the deal's points to the totals, and sentences on its result; `state` is its final state."""
        self._points = tuple(map(sum, zip(self._points, points, strict=True)))
        self._has_points = True
        if said := self._game.says_deal(state, self._names):
            self._said.append(f"{said}.")
        self._said.append(f"Deal {number + 1} is over: {points_line(self._names, points)}.")

    def end_with_fault(self, i: int, seat: Seat, kind: str, text: str) -> None:
        """Drop the frames from event `i` on, and add one with the fault there."""
        self.changes = {at: changed for at, changed in self.changes.items() if at < i}
        say = f"Fault: {self._names[seat]}, {kind}: \N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
        self.changes[i] = {**({} if self.changes else self._nothing()), "to_act": None, "say": say}

    def add_frame(self, i: int, state: State) -> None:
        """Take the sentences so far; add a frame with them at event `i`, unless `i` < 0 or it has one."""
        said, self._said = " ".join(self._said), []
        if i < 0 or i in self.changes:
            return
        changed: FrameChanges = {"to_act": None, "say": said}
        added, self._added = self._laid[len(self._laid) - self._added :], 0
        if self._hands.only_lost(state, added):
            if added:
                changed["laid"] = added[0]
                if len(self._laid) == 1:
                    changed["table"] = ()
        else:
            changed["hands"], changed["counts"] = self._hands.names, self._hands.counts
            changed["table"] = tuple(self._laid)
        if roles := self._new_roles(self._game.roles(state)):
            changed["roles"] = roles
        if not self.changes:
            changed["request"] = ""
        if self._has_points:
            changed["points"], self._has_points = self._points, False
        self.changes[i] = self._last = changed

    def faces(self) -> dict[str, CardFace]:
        """Return the faces of the cards that were seen, by name."""
        return {name: cast("CardFace", self._game.face(name)._asdict()) for name in self._cards}

    def _new_roles(self, roles: dict[str, Any]) -> dict[str, Any]:
        """Store the roles; return the changed ones, None for a role no longer shown."""
        if self._untold:
            roles["untold"] = [self._untold.get(seat, "") for seat in range(self._game.seats)]
        last, self._roles = self._roles, roles
        if roles == last:
            return {}
        changed = {name: now for name, now in roles.items() if name not in last or now != last[name]}
        return changed | dict.fromkeys(name for name in last if name not in roles)

    def _nothing(self) -> FrameChanges:
        """Return a frame with hidden hands, no cards and no plays."""
        seats = self._game.seats
        return {
            "hands": (None,) * seats, "counts": (0,) * seats, "table": (), "roles": {}, "request": "",
            "points": self._points,
        }  # fmt: skip

    def _see(self, cards: Iterable[str]) -> None:
        self._cards.update(dict.fromkeys(cards))


class _Hands:
    """The hands of a deal, as `seat` sees them."""

    def __init__(self, game: AnyGame, seat: Seat | None) -> None:
        self._game, self._seat = game, seat
        self._held: list[tuple[Card, ...]] = []
        self.names: tuple[tuple[str, ...] | None, ...] = ()

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(map(len, self._held))

    def only_lost(self, state: State, laid: Sequence[Laid]) -> bool:
        """Update the hands; True if since the last call they lost one seat's play and nothing else."""
        game, then = self._game, self._held
        self._held = [game.hand(state, seat) for seat in range(game.seats)]
        follows = bool(then) and len(laid) < 2
        names = list(self.names) or [None] * game.seats
        for seat, now in enumerate(self._held):
            gone = laid[0].cards if laid and laid[0].seat == seat else ()
            if then and now == then[seat]:
                follows = follows and not gone
                continue
            follows = follows and len(now) + len(gone) == len(then[seat])
            if self._seat in (None, seat):
                known = tuple(map(game.card_name, now))
                follows = follows and known == _without(names[seat] or (), gone)
                names[seat] = known
        self.names = tuple(names)
        return follows


def _without(names: Sequence[str], gone: Iterable[str]) -> tuple[str, ...]:
    """Return `names` less one of each name in `gone`, if it is there."""
    left = list(names)
    for name in gone:
        if name in left:
            left.remove(name)
    return tuple(left)


def names_in_text(players: Sequence[str]) -> list[str]:
    """Return names for a sentence, isolated from its text direction, with the seat where names repeat."""
    again = Counter(players)
    return [
        f"\N{FIRST STRONG ISOLATE}{name}{f' (seat {at})' * (again[name] > 1)}\N{POP DIRECTIONAL ISOLATE}"
        for at, name in enumerate(players)
    ]


def seat_line(roles: Mapping[str, Any], seat: Seat) -> str:
    """Return a seat's values in the roles of a state, for people: ``declared 2, taken 3``."""
    words = []
    for key, value in roles.items():
        if isinstance(value, list) and value[seat] not in (None, ""):
            words.append(str(value[seat]) if key == "role" else f"{key} {value[seat]}")
    return ", ".join(words)


def points_line(names: Sequence[str], points: Sequence[int]) -> str:
    """Return the points by name, for people."""
    return ", ".join(map(" ".join, zip(names, signed(points), strict=True)))


def signed(points: Sequence[int]) -> list[str]:
    """Return points for people, with signs if some are negative."""
    if min(points) >= 0:
        return list(map(str, points))
    return [f"{'+' * (won > 0)}{won}".replace("-", "\N{MINUS SIGN}") for won in points]


def hand_line(game: AnyGame, hand: Sequence[str] | None) -> str:
    """Return a hand of a frame, or of a deal's JSON, for people; "?" for a hidden hand."""
    return "?" if hand is None else game.hand_text(sorted(map(game.card_of, hand)))


def table_line(frame: Frame) -> str:
    """Return the plays on the table by seat, ``0:TD  1:4D``, for people; "" for an empty table."""
    return "  ".join(f"{laid.seat}:{laid.words}" for laid in frame.table)


def decision_text(game: AnyGame, state: State) -> str:
    """Return a decision as the seat to act sees it: ``hand 2C 3S, table 0:2D, legal 2C 3S``."""
    seat = state.to_act[0]
    frame, legal = frame_of(game, state, seat), state.legal(seat)
    words = [game.action_text(state, seat, action) for action in legal[:LEGAL]]
    parts = {
        "hand": " ".join(hand_line(game, frame.hands[seat]).split()),
        "table": " ".join(table_line(frame).split()),
        "legal": " ".join(words) + (f" ... ({len(legal)} in all)" if len(legal) > LEGAL else ""),
    }
    return ", ".join(f"{name} {text}" for name, text in parts.items() if text)


def roles_line(shape: Mapping[str, Any]) -> str:
    """Return a deal's JSON without hands, roles by seat and nested lists, for people: ``landlord 0``."""
    words = []
    for key, value in shape.items():
        if isinstance(value, list | tuple):
            if key not in ("hands", "roles") and not any(isinstance(item, list | tuple) for item in value):
                words.append(f"{key} {' '.join(map(str, value))}")
        elif value is not None:
            words.append(f"{key} {value}")
    return ", ".join(words)
