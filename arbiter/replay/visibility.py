"""Access control between a stored record and its readers: who may see what of a match.

A record holds everything: all cards, all raw replies and standard error, the deals that other
tables of the round may still be playing. Only the organiser sees it unchanged. For a `Reader`,
`replay_of` turns it into a replay in the form ``arbiter-replay/1``: a deal's cards once, then events.

    replay_of(record, Reader.parse("public"), complete=False)

| reader | cards | commands | answers |
|---|---|---|---|
| `full` | all | all | all |
| `seat:K` | its own | those to seat K | its own |
| `public`, once the round is complete | all | all | all |
| `public` before | none | those to all seats alike | once all seats know them |

Before a round is complete an unrevealed card changes nothing in the public view; a card that seat K
cannot see changes nothing in seat K's view. Requests and legal answers are shown to the seat that was
asked and to readers of all cards. Left out for all: the seed, the hash of the deals, standard error,
raw replies; ``time_left``, which a record does not keep.

A bot's notes are shown at its answers to its author and the organiser; to all readers who see the answer if
notes are published and the round is complete.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, cast

from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.match.position import Dealt, Moved, planned_deals, retrace
from arbiter.match.record import Fault
from arbiter.replay.delivered import DeliveryTracker
from arbiter.replay.emblem import emblems
from arbiter.replay.frame import NOBODY, FrameRecorder
from arbiter.replay.result_text import FinishedDeal, escaped_note, highlights, say_match

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.games.game import AnyGame, Command, Deal, Seat
    from arbiter.match.notes import Note
    from arbiter.match.record import Forfeit, MatchRecord
    from arbiter.replay.schema import DealtCards as DealtCards
    from arbiter.replay.schema import EndedBy, Event, Replay, ReplayMark, ReplayPlayer

FORMAT: Final = "arbiter-replay/1"


class Reader(NamedTuple):
    """A reader: `kind` is public, seat or full; `seat` is for the second.

    `author` is False for a public reader who takes a seat's view: its bot's output is not shown.
    `notes` are further seats whose bots' notes are visible.
    """

    kind: str
    seat: Seat = 0
    author: bool = True
    notes: tuple[Seat, ...] = ()

    @classmethod
    def parse(cls, text: str, seats: int) -> Self:
        """Parse ``public``, ``seat:2`` or ``full``; ConfigError for other texts and missing seats."""
        kind, colon, number = text.partition(":")
        if kind in ("public", "full") and not colon:
            return cls(kind)
        if kind == "seat" and number.isascii() and number.isdigit() and int(number) < seats:
            return cls(kind, int(number))
        raise ConfigError(f"there is no reader {text!r}", hint=f"public, full, or seat:0 to seat:{seats - 1}")

    def __str__(self) -> str:
        return f"seat:{self.seat}" if self.kind == "seat" else self.kind


def replay_of(record: MatchRecord, reader: Reader, complete: bool = True) -> Replay:
    """Return a match as `reader` may see it; `complete` is True once its round is.

    JSON values and tuples of them. StoreError if the record cannot be replayed.
    """
    game = make(record.game, record.options)
    sides = record.sides or (None,) * len(record.players)
    players: list[ReplayPlayer] = [
        {"name": name, "seat": seat, "side": side, "mark": mark}
        for seat, (name, side, mark) in enumerate(
            zip(record.players, sides, emblems(record.players, sides), strict=True)
        )
    ]
    if record.substitute is not None:
        players[record.substitute]["substitute"] = True
    builder = _ReplayBuilder(record, game, reader, complete)
    builder.build()
    return {
        "format": FORMAT,
        "reader": str(reader),
        "id": record.id,
        "season": record.season,
        "round": record.round,
        "game": {"name": record.game, "options": dict(record.options)},
        "players": players,
        "faces": builder.frames.faces(),
        "planned": None if game.endless else len(planned_deals(game, "", 1).deals),
        "deals": builder.deals,
        "events": builder.events,
        "marks": builder.all_marks(),
        "result": {
            "points": None if record.points is None else list(record.points),
            "fault": fault_of(record, reader, complete),
            "say": say_match(record.summary()),
        },
    }


def fault_of(record: MatchRecord, reader: Reader, complete: bool = True) -> EndedBy | None:
    """Return the fault that ended the match, with the text that the reader may see; None without a fault.

    `complete` is True if the round is over.
    """
    if (forfeit := record.forfeit) is None:
        return None
    return {
        "seat": forfeit.seat,
        "player": forfeit.player,
        "kind": str(forfeit.fault),
        "deal": max(len(record.deals) - 1, 0),
        "text": fault_words(forfeit, reader, complete),
    }


def fault_words(forfeit: Forfeit, reader: Reader, complete: bool = True) -> str:
    """Return the text about a fault that a reader may see; only the author sees standard error.

    Before the round's end (not `complete`) it leaves out what may reveal cards: the rules' reason, and how a
    budget was spent.
    """
    if not reader.author:
        reader = Reader("public")
    if reader.kind == "seat" and reader.seat == forfeit.seat:
        return forfeit.detail
    if sees_all(reader, complete):
        return replace(forfeit, private="").detail
    if forfeit.fault is Fault.ILLEGAL:
        # From the reply: the referee's text may begin with the reason.
        return f"{forfeit.answer_word}: no legal answer to {forfeit.command}"
    return forfeit.reason


def sees_all(reader: Reader, complete: bool) -> bool:
    """True for a reader of all cards: `full`, or `public` once the round is complete."""
    return reader.kind == "full" or (reader.kind == "public" and complete)


def notes_for(record: MatchRecord, reader: Reader, complete: bool = True) -> Mapping[int, Note]:
    """Return the notes that a reader may see, by number of the move from 1.

    The organiser sees all; others the author's own seat, `Reader.notes`, and, once complete, public seats.
    """
    if reader.kind == "full":
        return record.move_notes or {}
    own = {reader.seat} if reader.kind == "seat" and reader.author else set()
    seats = own.union(reader.notes, record.notes_public if complete else ())
    return {
        number: note
        for number, note in (record.move_notes or {}).items()
        if number <= len(record.moves) and record.moves[number - 1].seat in seats
    }


def heard(replay: Replay) -> list[Command]:
    """Return the commands that the seat of this replay received, in order."""
    return [
        event["text"] if event["t"] == "tell" else event["request"]
        for event in replay["events"]
        if event["t"] == "tell" or event["t"] == "ask"
    ]


class _ReplayBuilder:
    """Follows a record once and collects the events that one reader may see."""

    def __init__(self, record: MatchRecord, game: AnyGame, reader: Reader, complete: bool) -> None:
        self._record, self._game = record, game
        self._reader, self._complete, self._everything = reader, complete, sees_all(reader, complete)
        self._own = reader.seat if reader.kind == "seat" else None
        self._notes = notes_for(record, reader, complete)
        self._deal = self._number = self._moves = 0
        self._secret_until_heard: int | None = None  # events before the last decision, if that was hidden
        self._delivery = DeliveryTracker(record, self._own)
        eyes = None if self._everything else NOBODY if self._own is None else self._own
        self.frames = FrameRecorder(game, record.players, eyes)
        self.deals: list[DealtCards] = []
        self.events: list[Event] = []
        self.marks: list[ReplayMark] = []

    def build(self) -> None:
        """Follow the record, and fill `deals`, `events`, `marks` and the frames; StoreError."""
        game, record = self._game, self._record
        self._tell_each(game.greeting())
        deal: Deal | None = None
        state: Any = None
        for event in retrace(record, game):
            if isinstance(event, Dealt):
                self._keep(deal, state)
                deal, state, self._deal = event.deal, event.state, event.number
                self._begin(event)
                self.frames.add_frame(len(self.events) - 1, state)
            elif isinstance(event, Moved):
                state = event.after
                self._move(event)
                self.frames.add_frame(len(self.events) - 1, state)
            else:
                points = list(event.state.points())
                self._add("end_deal", points=points)
                self.frames.end_deal(event.number, points, event.state)
                self.frames.add_frame(len(self.events) - 1, state)
        self._keep(deal, state)
        if record.forfeit is not None:
            self._forfeit(record.forfeit, state)
        for i, shown in self.frames.changes.items():
            self.events[i]["shown"] = shown

    def all_marks(self) -> list[ReplayMark]:
        """Return the marks of deals, fault and highlights, in order."""
        ends = [
            FinishedDeal(event["i"], event["deal"], event["points"])
            for event in self.events
            if event["t"] == "end_deal"
        ]
        return sorted([*self.marks, *highlights(self._record.players, ends)], key=lambda mark: mark["i"])

    def _begin(self, event: Dealt) -> None:
        """Add a deal, with the cards that the reader may see, and its first events."""
        game = self._game
        hands = [
            [game.card_name(card) for card in hand] if self._everything or seat == self._own else None
            for seat, hand in enumerate(event.deal.hands)
        ]
        self.deals.append({"deal": event.number, "hands": hands})
        self._deal_has(game.deal_roles(event.deal, event.state))
        cards = [name for hand in hands for name in hand or ()]
        self.frames.start_deal(event.number, [*cards, *map(game.card_name, event.deal.extra)])
        self._mark("deal", f"deal {event.number + 1}")
        self._add("deal")
        self._tell_each(game.dealt(event.deal))
        self._exchange(None, event.state)

    def _keep(self, deal: Deal | None, state: Any) -> None:
        """Add a deal's final roles; for readers of all cards, everything in the record."""
        if deal is not None:
            self._deal_has(self._game.deal_roles(deal, state))
            if self._everything:
                self._deal_has(self._game.deal_record(deal, state))

    def _deal_has(self, more: Mapping[str, Any]) -> None:
        """Add the game's own keys to the deal."""
        cast("dict[str, Any]", self.deals[-1]).update(more)

    def _move(self, event: Moved) -> None:
        """Add the request, the answer and the news of a move, as far as the reader may see them."""
        game, move, before, after = self._game, event.move, event.before, event.after
        revealed = game.revealed(before, move.seat, event.action, after)
        now = (move.seat, move.action) in revealed
        self._moves += 1
        self._secret_until_heard = len(self.events) if len(revealed) > 1 else None
        if not (self._everything or move.seat == self._own or (self._own is None and now)):
            self._pass_over(2)
        else:
            self._ask(before, move.seat, move.request)
            charged, left = move.charged_ns / 1e6, move.left_ns / 1e6
            what = {"request": move.request, "text": move.action, "charged_ms": charged, "left_ms": left}
            note = self._notes.get(self._moves)
            self._add("answer", seat=move.seat, **what, **({"note": escaped_note(note)} if note else {}))
        laid = game.laid(before, move.seat, event.action, after)
        self.frames.record_move(move.seat, move.request, move.action, revealed, laid)
        self._delivery.record_decision(move.seat, len(self.events))
        for seats, command in game.news(before, move.seat, event.action, after):
            self._tell(seats, command)
        for seat, words in revealed:
            if seat == move.seat:
                continue
            if self._own is None:
                self._add("reveal", seat=seat, text=words)
            else:
                self._pass_over()
        self._exchange(before, after)
        if (taker := game.taker(before, after)) is not None:
            self._add("trick", seat=taker, text=game.takes)
        self.frames.clear_table(taker, after)

    def _ask(self, state: Any, seat: Seat, request: Command) -> None:
        """Add a request, with the legal answers for the seat itself and readers of all cards."""
        event: dict[str, Any] = {"seat": seat, "request": request}
        if self._everything or seat == self._own:
            event["legal"] = [self._game.action_text(state, seat, action) for action in state.legal(seat)]
        self._add("ask", **event)
        self.frames.record_request(seat, request)

    def _exchange(self, before: Any, after: Any) -> None:
        """Add the gifts between two states, with the cards if the reader may see them."""
        for gift in self._game.exchanged(before, after):
            giver, taker, cards = gift
            seen = self._everything or self._own in (giver, taker)
            self.frames.record_exchange(gift, seen)
            names = list(cards) if seen else None
            self._add("exchange", seat=giver, to=taker, count=len(cards), cards=names)

    def _tell_each(self, wordings: Iterable[Sequence[Command]]) -> None:
        """Call `_tell` for each command: once for all seats if they get the same words, else seat by seat."""
        for wording in wordings:
            if len(set(wording)) == 1:
                self._tell(tuple(range(len(wording))), wording[0])
                continue
            for seat, command in enumerate(wording):
                self._tell((seat,), command)

    def _tell(self, seats: tuple[Seat, ...], command: Command) -> None:
        """Add a command if the reader may see it, else count it as hidden; note its delivery."""
        if self._own in seats or self._everything or (self._own is None and len(seats) == self._game.seats):
            if self._own is None:
                self._add("tell", text=command, seats=list(seats))
            else:
                self._add("tell", text=command)
        else:
            self._pass_over()
        for seat in seats if self._own is not None else ():
            self._delivery.record_news(seat, command, len(self.events))

    def _forfeit(self, forfeit: Forfeit, state: Any) -> None:
        """Add the fault, after the request if it was an answer; remove undelivered events."""
        seat = forfeit.seat
        asked = state is not None and seat in state.to_act
        asked = asked and self._game.request(state, seat) == forfeit.command
        secret = self._secret_until_heard
        if self._own is not None:
            del self.events[self._delivery.delivered_events(forfeit, self._own, asked) :]
            begun = {event["deal"] for event in self.events if event["t"] == "deal"}
            self.deals = [deal for deal in self.deals if deal["deal"] in begun]
            last = self.events[-1]["i"] if self.events else -1
            self.marks = [mark for mark in self.marks if mark["i"] <= last]
            if not self._complete:
                self._number = last + 1
        elif (
            not self._everything and secret is not None and (not asked or self._record.delivery == "batched")
        ):
            # The fault came before the hidden decision was announced to all.
            del self.events[secret:]
            self._number = secret
        if asked and (self._everything or (seat == self._own and not self._delivery.unsent)):
            self._ask(state, seat, forfeit.command)
        elif asked:
            self._pass_over()
        self._mark("fault", f"{forfeit.player}: {forfeit.fault}")
        kind, text = str(forfeit.fault), fault_words(forfeit, self._reader, self._complete)
        times: dict[str, Any] = {}
        if forfeit.times is not None and (self._everything or seat == self._own):
            charged, left = forfeit.times["charged_ns"], forfeit.times["left_ns"]
            times = {"request": forfeit.command, "charged_ms": charged / 1e6, "left_ms": left / 1e6}
        self._add("fault", seat=seat, player=forfeit.player, fault=kind, text=text, **times)
        self.frames.end_with_fault(len(self.events) - 1, seat, kind, text)

    def _add(self, t: str, **keys: Any) -> None:
        """Append an event of type `t` with the next number, and count it."""
        event: Any = {"i": self._number, "deal": self._deal, "t": t, **keys}
        self.events.append(event)
        self._number += 1

    def _pass_over(self, events: int = 1) -> None:
        """Count hidden events once the round is complete: then numbers are those of the whole match."""
        if self._complete and self._own is not None:
            self._number += events

    def _mark(self, kind: str, text: str) -> None:
        """Append a mark (`kind`: deal or fault) at the number of the next event, which is not yet added."""
        self.marks.append({"i": self._number, "kind": kind, "text": text})
