"""A recorded match of a model replayed without calls: recorded answers replace the provider's.

The harness receives the seat's commands and asks again; each question is compared with the recorded one, each
reply with the record's move. So a prompt, an answer, a count or a move cannot be changed alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.match.record import Fault
from arbiter.match.spec import ModelEntry
from arbiter.replay.visibility import Reader, replay_of
from arbiter.table.llm import HARNESS
from arbiter.table.llm.answer_stream import FAULTS
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
"""The faults that follow from a model's answers."""
_SAID = ("name", "date", "effort", "harness", "attempts", "match_tokens", "move_tokens")
"""The values that a record copies from the season's config."""


def model_differences(
    game: AnyGame, record: MatchRecord, entries: Sequence[ModelEntry | None]
) -> Iterator[str]:
    """Yield the values of a record's models that are inconsistent with the rest of it.

    `entries` are the planned models by seat, empty if unknown.
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


def other_harness_models(record: MatchRecord) -> Iterator[str]:
    """Yield the models that cannot be compared: those asked by another version's harness."""
    for seat, bot in enumerate(record.bots):
        if bot.model is not None and bot.model["harness"] != HARNESS:
            asked = bot.model["harness"]
            yield f"model of seat {seat}: asked by harness {asked}, and this version has {HARNESS}"


class _OutOfCalls(Exception):
    """A question beyond the recorded ones."""


class _KeptModel:
    """One model of a record: the kept answers are given to the harness again, and no provider is asked."""

    def __init__(self, game: AnyGame, record: MatchRecord, seat: Seat, kept: Mapping[str, Any]) -> None:
        self._game, self._record, self._seat, self._kept = game, record, seat, kept
        self._calls = kept["calls"]
        self._done = self._decision = 0
        self._last: Messages = []
        self._found: list[str] = []
        entry = ModelEntry("", "", attempts=kept["attempts"], match_tokens=kept["match_tokens"],
                           move_tokens=kept["move_tokens"])  # fmt: skip
        self._account = TokenAccount(entry)
        # Different rules change the first message, but no other question.
        self._same_rules = kept["rules"] == digest_of_rules(game)
        self._harness = Harness(game, seat, rules_of(game), PromptForm(**kept["form"]), self._recorded_answer)

    def differences(self) -> Iterator[str]:
        """Yield what is inconsistent in the model's record, by its sums and by the replay of its calls."""
        names = self._kept["form"]["names"]
        if names and names != names_of(self._game, self._record.id, self._seat):
            yield "form: names: others than this match has"
            return
        if self._kept["tokens"] != (total := sum(call["tokens"] for call in self._calls)):
            yield f"tokens: stored {self._kept['tokens']}, of all answers {total}"
        asked = sum(call.get("asked", 0) for call in self._calls)
        if (stored := self._kept.get("asked", asked)) < asked:
            yield f"asked: stored {stored}, of all questions {asked}"
        problem = self._replay_match()
        yield from self._found
        if problem:
            yield problem
        elif not self._found and self._done < len(self._calls):
            yield f"calls: stored {len(self._calls)}, but {self._done} are asked"

    def _replay_match(self) -> str:
        """Replay the match to the harness. Return the problem that stops it before its end, or ""."""
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
                    reply = self._harness.reply(event["request"])
                except _OutOfCalls:
                    # The record lacks a question that was interrupted.
                    return (
                        ""
                        if self._ended_by_another_fault and not answered
                        else f"calls: only {len(self._calls)} are kept"
                    )
                word = self._canonical(reply)
                if answered and word != moves[self._decision - 1]:
                    move = moves[self._decision - 1]
                    return f"decision {self._decision}: stored {move}, by the kept answers {reply}"
                if not answered and self._model_is_at_fault and not self._leads_to_fault(reply):
                    return f"decision {self._decision}: the fault is not one of the kept answers ({reply})"
        return ""

    @property
    def _model_is_at_fault(self) -> bool:
        """True if this seat lost by a fault that follows from its model's answers (`OWN`)."""
        forfeit = self._record.forfeit
        return forfeit is not None and forfeit.seat == self._seat and forfeit.fault in OWN

    @property
    def _ended_by_another_fault(self) -> bool:
        forfeit = self._record.forfeit
        return forfeit is not None and not self._model_is_at_fault

    def _leads_to_fault(self, reply: str) -> bool:
        """Return True if a reply leads to the recorded fault."""
        forfeit = self._record.forfeit
        assert forfeit is not None
        kind = OF_REPLIES.get(reply.removeprefix("? "), Fault.ILLEGAL)
        return forfeit.fault == kind and reply == forfeit.reply.strip()

    def _canonical(self, reply: str) -> str:
        """Return the word of a reply as in a record; the reply itself if it is not a legal answer."""
        state = self._harness.state
        try:
            action = self._game.parse(state, self._seat, reply.removeprefix("= "))
        except Exception:
            return reply
        return self._game.action_text(state, self._seat, action)

    def _recorded_answer(self, messages: Messages) -> Mapping[str, Any]:
        """Return the next recorded answer, _OutOfCalls if none; note a question unlike the recorded one.

        If no tokens are left, only the outcome "tokens", as the gateway does.
        """
        account = self._account
        account.attempts -= 1
        if not account.allowed:
            return {"outcome": "tokens"}
        if self._done == len(self._calls):
            raise _OutOfCalls
        call = self._calls[self._done]
        self._done += 1
        kept = [*self._last[: call["same"]], *call["messages"]]
        # Only the first difference is reported: others follow from it.
        if not self._found and (place := self._first_difference(kept, messages)):
            self._found.append(f"decision {self._decision}: message {place} is not what was asked")
        if not self._found and call["decision"] != self._decision:
            self._found.append(f"decision {self._decision}: stored as decision {call['decision']}")
        self._last = kept
        account.charge(call["tokens"])
        return {"outcome": call["outcome"], "text": call["text"] if call["outcome"] == "text" else ""}

    def _first_difference(self, kept: Messages, asked: Messages) -> int:
        """Return the number of the first different message, from 1; 0 if all are equal."""
        if len(kept) != len(asked):
            return min(len(kept), len(asked)) + 1
        first = 0 if self._same_rules else 1
        places = range(first, len(kept))
        return next((place + 1 for place in places if kept[place] != asked[place]), 0)
