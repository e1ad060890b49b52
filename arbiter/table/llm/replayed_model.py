"""A kept match of a model played again without a call: kept answers take the provider's place.

The harness hears what its seat heard, and asks as it did; each question is compared with the kept one, each
reply with the record's move. So nobody can change a prompt, an answer, a count or a move alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.match.record import Fault
from arbiter.match.spec import ModelEntry
from arbiter.replay.visibility import Reader, replay_of
from arbiter.table.llm import HARNESS
from arbiter.table.llm.gateway import FAULTS
from arbiter.table.llm.harness import Harness
from arbiter.table.llm.prompt_forms import digest_of_rules, names_of, rules_of
from arbiter.table.llm.prompts import PromptForm
from arbiter.table.llm.token_account import TokenAccount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.record import MatchRecord
    from arbiter.table.llm.harness import Messages

OF_REPLIES = FAULTS | {"refused": Fault.REFUSED}
"""The fault of a harness that answers with ``?`` and a word, by the word."""
OWN = frozenset({*OF_REPLIES.values(), Fault.ILLEGAL})
"""The faults that follow from what a model answered."""
_SAID = ("name", "date", "effort", "harness", "attempts", "match_tokens", "move_tokens")
"""What a record has as the season's file says it."""


def model_differences(
    game: AnyGame, record: MatchRecord, entries: Sequence[ModelEntry | None]
) -> Iterator[str]:
    """Yield what of a record's models does not follow from the rest of it.

    `entries` are the models by seat as they were to play, empty where that is not known.
    """
    for seat, bot in enumerate(record.bots):
        entry = entries[seat] if entries else None
        if bot.model is None:
            if entry is not None and record.moves:
                yield f"model of seat {seat}: nothing is kept of {entry.name}"
            continue
        for name in _SAID if entry is not None else ():
            if (stored := bot.model[name]) != (planned := getattr(entry, name)):
                yield f"model of seat {seat}: {name}: stored {stored}, planned {planned}"
        if bot.model["harness"] == HARNESS:
            for text in _KeptModel(game, record, seat, bot.model).differences():
                yield f"model of seat {seat}: {text}"


def unchecked(record: MatchRecord) -> Iterator[str]:
    """Yield what cannot be compared: models that another version's harness asked."""
    for seat, bot in enumerate(record.bots):
        if bot.model is not None and bot.model["harness"] != HARNESS:
            asked = bot.model["harness"]
            yield f"model of seat {seat}: asked by harness {asked}, and this version has {HARNESS}"


class _OutOfCalls(Exception):
    """More was asked than is kept."""


class _KeptModel:
    """One model of a record, asked again."""

    def __init__(self, game: AnyGame, record: MatchRecord, seat: Seat, kept: Mapping[str, Any]) -> None:
        self._game, self._record, self._seat, self._kept = game, record, seat, kept
        self._calls = kept["calls"]
        self._done = self._decision = 0
        self._last: Messages = []
        self._found: list[str] = []
        entry = ModelEntry("", "", attempts=kept["attempts"], match_tokens=kept["match_tokens"],
                           move_tokens=kept["move_tokens"])  # fmt: skip
        self._account = TokenAccount(entry)
        # Another page of rules is another first message, and no other question.
        self._same_rules = kept["rules"] == digest_of_rules(game)
        self._harness = Harness(game, seat, rules_of(game), PromptForm(**kept["form"]), self._ask)

    def differences(self) -> Iterator[str]:
        names = self._kept["form"]["names"]
        if names and names != names_of(self._game, self._record.id, self._seat):
            yield "form: names: others than this match has"
            return
        if self._kept["tokens"] != (total := sum(call["tokens"] for call in self._calls)):
            yield f"tokens: stored {self._kept['tokens']}, of all answers {total}"
        asked = sum(call.get("asked", 0) for call in self._calls)
        if (stored := self._kept.get("asked", asked)) < asked:
            yield f"asked: stored {stored}, of all questions {asked}"
        problem = self._play()
        yield from self._found
        if problem:
            yield problem
        elif not self._found and self._done < len(self._calls):
            yield f"calls: stored {len(self._calls)}, but {self._done} are asked"

    def _play(self) -> str:
        """Let the harness hear the match; return what keeps it from its end, "" for nothing."""
        replay = replay_of(self._record, Reader("seat", self._seat))
        moves = [move.action for move in self._record.moves if move.seat == self._seat]
        for event in replay["events"]:
            if event["t"] == "tell":
                self._harness.reply(event["text"])
            elif event["t"] == "ask":
                self._decision += 1
                self._account.open()
                self._harness.left = self._account.left()
                answered = self._decision <= len(moves)
                try:
                    said = self._harness.reply(event["request"])
                except _OutOfCalls:
                    # A harness that was stopped in the middle of a question has none to show.
                    return (
                        ""
                        if self._is_stopped and not answered
                        else f"calls: only {len(self._calls)} are kept"
                    )
                word = self._canonical(said)
                if answered and word != moves[self._decision - 1]:
                    move = moves[self._decision - 1]
                    return f"decision {self._decision}: stored {move}, by the kept answers {said}"
                if not answered and self._is_fault and not self._follows(said):
                    return f"decision {self._decision}: the fault is not one of the kept answers ({said})"
        return ""

    @property
    def _is_fault(self) -> bool:
        forfeit = self._record.forfeit
        return forfeit is not None and forfeit.seat == self._seat and forfeit.fault in OWN

    @property
    def _is_stopped(self) -> bool:
        forfeit = self._record.forfeit
        return forfeit is not None and not self._is_fault

    def _follows(self, said: str) -> bool:
        """True where the fault is what the referee makes of a reply."""
        forfeit = self._record.forfeit
        assert forfeit is not None
        kind = OF_REPLIES.get(said.removeprefix("? "), Fault.ILLEGAL)
        return forfeit.fault == kind and said == forfeit.reply.strip()

    def _canonical(self, said: str) -> str:
        """The word of a reply as a record has it; the reply itself where it is no legal answer."""
        state = self._harness.state
        try:
            action = self._game.parse(state, self._seat, said.removeprefix("= "))
        except Exception:
            return said
        return self._game.action_text(state, self._seat, action)

    def _ask(self, messages: Messages) -> Mapping[str, Any]:
        account = self._account
        account.attempts -= 1
        if not account.allowed:
            return {"outcome": "tokens"}
        if self._done == len(self._calls):
            raise _OutOfCalls
        call = self._calls[self._done]
        self._done += 1
        kept = [*self._last[: call["same"]], *call["messages"]]
        # The first difference is told: others follow from it.
        if not self._found and (place := self._unlike(kept, messages)):
            self._found.append(f"decision {self._decision}: message {place} is not what was asked")
        if not self._found and call["decision"] != self._decision:
            self._found.append(f"decision {self._decision}: stored as decision {call['decision']}")
        self._last = kept
        account.charge(call["tokens"])
        return {"outcome": call["outcome"], "text": call["text"] if call["outcome"] == "text" else ""}

    def _unlike(self, kept: Messages, asked: Messages) -> int:
        """The number of the first message, from 1, that is another one; 0 for none."""
        if len(kept) != len(asked):
            return min(len(kept), len(asked)) + 1
        first = 0 if self._same_rules else 1
        places = range(first, len(kept))
        return next((place + 1 for place in places if kept[place] != asked[place]), 0)
