"""Twins: players of different authors that decide alike in the same situations.

All tables of a round play the same deals, and each player takes every seat. So any two players hold the same
cards in the same seat, and are in the same situation as long as they receive the same messages. A situation
is a seat's information state: the cards and messages of this deal, its answers, and the present request, word
for word; no names, and nothing of earlier deals, such as points. Situations with one legal answer are left
out. `rating.likeness` evaluates the answers.

Each record is read once; answers are kept until the end of their round.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import rating
from arbiter.games import make_shared
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.match.spec import original
from arbiter.season.config.settings_diff import registered_name
from arbiter.season.order_effects import orders_after
from arbiter.text import counted
from rating.likeness import KIND_LEAST, KindCount

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Set

    from arbiter.contest.integrity.schema import PairsReach, TwinAnswer, Twins
    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from rating.likeness import Alike, Rare

ANSWERING = " answering cards"
"""Suffix of the kind of a decision with cards on the table, after the request's first word."""
HOUSE = "#"
"""The owner of all house bots and rungs: not a valid author's name."""


def find_twins(
    stored: SeasonStore, config: Config, last_round: int, read: Callable[[], object] = lambda: None
) -> tuple[list[Twins], PairsReach]:
    """Replay matches up to a round; return twins, the surest first, and how many pairs had enough data.

    Only players of different owners are compared; house bots and rungs have one owner. `read` is called after
    each match. StoreError if a record cannot be replayed.
    """
    house = {entry.player.name for entry in config.entries if entry.role} | set(config.house_bots)

    def owner_of(name: str) -> str:
        """Return the author of a version, `HOUSE` for a house bot or rung."""
        return HOUSE if name in house else registered_name(name)

    likeness = rating.Likeness(owner_of)
    played: set[str] = set()
    holds = orders_after(stored.orders.read().given, last_round)
    for number in [planned.number for planned in stored.plan() if planned.number <= last_round]:
        matches = list(holds.counted(stored.summaries(number, number)))
        played |= {original(name) for match in matches for name in match.players}
        told = {match.id for match in matches}
        add_round(
            likeness, (record for record in _records_of_round(stored, number, read) if record.id in told)
        )
    pairs = sum(owner_of(one) != owner_of(other) for one, other in combinations(played, 2))
    return [_twins_row(alike, house) for alike in likeness.found()], _describe_reach(pairs, likeness.able())


def _describe_reach(pairs: int, able: int) -> PairsReach:
    said = f"{able} of {counted(pairs, 'pair')}"
    if able:
        said += " could be compared"
    else:
        said += f" met {KIND_LEAST} common situations in each kind of decision; none could be compared yet"
    return {"pairs": pairs, "able": able, "say": said}


def _records_of_round(stored: SeasonStore, number: int, read: Callable[[], object]) -> Iterator[MatchRecord]:
    """Yield a round's matches; call `read` after each is processed."""
    for record in stored.records(number):
        yield record
        read()


def add_round(likeness: rating.Likeness, records: Iterable[MatchRecord]) -> None:
    """Replay the records of a round, and add their decisions to `likeness`."""
    situations = _Situations()
    for record in records:
        situations.add_decisions(record, make_shared(record.game, record.options))
    for kind, choices, answers in situations.shared_situations():
        likeness.add(kind, choices, answers)


class _Situation:
    """The kind of decision, the number of legal answers (0: not counted), the answers by player."""

    __slots__ = ("answers", "choices", "kind")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.choices = 0
        self.answers: dict[str, rating.GivenAnswer] = {}


class _Situations:
    """The situations of a round as a tree: each message that the seat receives is an edge."""

    def __init__(self) -> None:
        self._steps: dict[tuple[Any, str], int] = {}
        self._found: dict[int, _Situation] = {}

    def add_decisions(self, record: MatchRecord, game: AnyGame) -> None:
        """Add the decisions of a match; of copies of a bot in one situation only the first one's."""
        heard: list[int] = []
        number = 0
        for event in retrace(record, game):
            if isinstance(event, Dealt):
                heard = [self._node_after((event.number, seat), "") for seat in range(game.seats)]
                for wording in game.dealt(event.deal):
                    heard = [self._node_after(*told) for told in zip(heard, wording, strict=True)]
            elif isinstance(event, Moved):
                move, number = event.move, number + 1
                at = self._node_after(heard[move.seat], move.request)
                name = original(record.players[move.seat])
                if (here := self._found.get(at)) is None:
                    lies = ANSWERING * bool(game.table(event.before))
                    here = self._found[at] = _Situation(move.request.partition(" ")[0] + lies)
                if name not in here.answers:
                    if here.answers and not here.choices:
                        here.choices = len(event.before.legal(move.seat))
                    here.answers[name] = rating.GivenAnswer(move.action, record.id, number)
                heard[move.seat] = self._node_after(at, move.action)
                for seats, command in game.news(event.before, move.seat, event.action, event.after):
                    for seat in seats:
                        heard[seat] = self._node_after(heard[seat], command)

    def shared_situations(self) -> Iterator[tuple[str, int, dict[str, rating.GivenAnswer]]]:
        """Yield the situations of several players with several legal answers."""
        for one in self._found.values():
            if one.choices > 1:
                yield one.kind, one.choices, one.answers

    def _node_after(self, before: Any, line: str) -> int:
        """Return the number of the node that `line` leads to, a new one at its first time."""
        return self._steps.setdefault((before, line), len(self._steps))


def _twins_row(found: Alike, house: Set[str]) -> Twins:
    """Return a pair as a row: rounded figures, examples of answers, and the question in words."""
    total = KindCount.of_all(found.kinds.values())
    players = [found.first, found.second]
    authors = [name for name in players if name not in house]
    whom = f"Do {found.first} and {found.second} play one program"
    for bot in house & set(players):
        whom = f"Does {authors[0]} play the program of the organiser's bot {bot}"
    return {
        "players": players,
        "alike": total.alike,
        "compared": total.compared,
        "expected": round(total.expected, 1),
        "p": found.p,
        "kinds": [
            {"kind": kind, "compared": one.compared, "alike": one.alike, "expected": round(one.expected, 1)}
            for kind, one in sorted(found.kinds.items())
        ],
        "examples": [_twin_answer(rare) for rare in found.rarest],
        "say": f"{whom}, as both decide alike in {total.alike} of {total.compared} situations,"
        f" where the others' answers suggest {total.expected:.0f}?",
    }


def _twin_answer(rare: Rare) -> TwinAnswer:
    first, second = rare.first, rare.second
    return {
        "kind": rare.kind,
        "answer": first.answer,
        "same": rare.same,
        "others": rare.others,
        "matches": [first.match, second.match],
        "moves": [first.move, second.move],
    }
