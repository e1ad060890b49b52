"""The harness: a bot that asks a model for each decision.

It has no key, address or clock: it asks the gateway, or in a replay a recorded match.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from arbiter.errors import IllegalAction
from arbiter.games import hearing_of, make
from arbiter.games.cards import Stream
from arbiter.games.information_state import DEALS, UNKNOWN_NAMES, BadCommand
from arbiter.replay.frame import frame_of
from arbiter.replay.score_sheet import SheetStep, score_sheet
from arbiter.table.llm.prompts import PromptForm, answer_in, question, rename_cards, system_text

if TYPE_CHECKING:
    from typing import BinaryIO

    from arbiter.games.game import AnyGame, Command, Seat

Messages: TypeAlias = "list[dict[str, str]]"
Ask: TypeAlias = Callable[["Messages"], Mapping[str, Any]]

LINE = 3
"""The descriptor of the socket to the gateway."""
LONGEST_TALK = 120_000
"""The most characters of a conversation; the oldest part is dropped."""
LONGEST_ECHO = 4_000
"""The most characters of a model's text that it is shown again."""
_AGAIN = {
    "truncated": "Your reply broke off. Be brief, and end with the line.",
    "refused": "You declined. This is a game of cards: decide, and end with the line.",
}


class Harness:
    """One match: commands in, replies out, `ask` in between."""

    def __init__(self, game: AnyGame, seat: Seat, rules: str, form: PromptForm, ask: Ask) -> None:
        self._game, self._seat, self._form, self._ask = game, seat, form, ask
        self._hearing = hearing_of(game, seat)
        self._first = {"role": "system", "content": system_text(game, seat, rules, form)}
        self._talk: Messages = []
        self._heard: list[Command] = []
        self.left: Mapping[str, int] = {"move": 0, "match": 0, "attempts": 0}
        """The gateway's message before this request."""

    @property
    def game(self) -> AnyGame:
        return self._game

    @property
    def state(self) -> Any:
        """The deal as the seat knows it."""
        return self._hearing.state

    @classmethod
    def of(cls, hello: Mapping[str, Any], ask: Ask) -> Harness:
        """Return the harness for the gateway's first message."""
        game = make(hello["game"], hello["options"])
        return cls(game, hello["seat"], hello["rules"], PromptForm(**hello["form"]), ask)

    def reply(self, command: Command) -> str:
        """Apply a command, or ask for the answer to a request; return the reply without its empty line."""
        try:
            if command.startswith("gen_"):
                return self._ask_for_answer(command)
            greets = self._hearing.deal is None and command.startswith("set_") and DEALS not in command
            if not greets and not command.startswith("time_left"):
                self._hearing.hear(command)
                self._heard.append(command)
        except BadCommand as error:
            return f"? {error}"
        return "="

    def _ask_for_answer(self, request: Command) -> str:
        """Ask until the answer is legal, or no attempt is left; the last answer may be illegal."""
        self._hearing.asked(request)
        asked = {"role": "user", "content": self._question_text(request)}
        attempts: Messages = []
        while True:
            answer = self._ask([self._first, *self._talk, asked, *attempts])
            outcome, text = answer["outcome"], answer.get("text", "")
            if outcome == "long" and (self._talk or attempts):
                if not self._talk:
                    attempts = []
                # The older half, in pairs of question and answer.
                del self._talk[: -(-len(self._talk) // 4) * 2]
                if not self._talk:
                    asked = {"role": "user", "content": self._question_text(request)}
                continue
            word, why = self._parse_answer(text) if outcome == "text" else (None, _AGAIN.get(outcome, ""))
            self.left = {**self.left, "attempts": self.left["attempts"] - 1}
            if not why or self.left["attempts"] <= 0:
                break
            said = [{"role": "assistant", "content": text[-LONGEST_ECHO:]}] if text else []
            again = {"role": "user", "content": f"{why} Answer the same request again."}
            attempts = [*attempts, *said, again]
        if word is None:
            return f"? {outcome}"
        if self._form.state == "conversation":
            self._add_to_talk(asked, text)
        return f"= {word}"

    def _parse_answer(self, text: str) -> tuple[str | None, str]:
        """Return the answer in a text, or None, and its error or ""."""
        game, state, seat = self._game, self._hearing.state, self._seat
        number = game.answer_words(state, seat)
        word = answer_in(text, number, self._form.names)
        if word is None:
            words = "a word" if number == 1 else f"{number} words"
            return None, f"Your reply has no line ANSWER: with {words}."
        why = refusal(game, state, seat, word)
        return word, why and f"Not allowed: {rename_cards(why, self._form.names)}."

    def _question_text(self, request: Command) -> str:
        """Return the message for a decision, and forget the commands heard since the last one."""
        hearing, game, seat = self._hearing, self._game, self._seat
        state = hearing.state
        points = tuple(map(sum, zip(*(deal.points for deal in hearing.played), strict=True)))
        actions = state.legal(seat) if self._form.legal else ()
        legal = tuple(game.action_text(state, seat, action) for action in actions)
        frame = frame_of(game, state, seat, to_act=seat, request=request, legal=legal, points=points)
        before = self._commands_since() if self._talk else self._deal_so_far()
        self._heard.clear()
        deal = len(hearing.played)
        return question(game, frame, seat, deal, before, game.must(state, seat), self.left, self._form)

    def _deal_so_far(self) -> list[str]:
        """Return the deal so far, as the seat knows it, in columns."""
        hearing, game = self._hearing, self._game
        steps, state = [], hearing.first
        for seat, action in zip(hearing.seats, hearing.actions, strict=True):
            request, words = game.request(state, seat), game.action_text(state, seat, action)
            after = state.apply(seat, action)
            steps.append(SheetStep(seat, request, words, action, state, after))
            state = after
        told = [step for place, step in enumerate(steps) if place not in hearing.placeholders]
        sheet = score_sheet(hearing.naming, hearing.first, told) if told else ()
        return [UNKNOWN_NAMES.sub("?", line) for line in sheet]

    def _commands_since(self) -> list[str]:
        """Return the commands since the last answer below a heading; [] without any."""
        return ["Since your last answer:", *self._heard] if self._heard else []

    def _add_to_talk(self, asked: dict[str, str], text: str) -> None:
        """Add a decision to the conversation, and drop the oldest above the limit."""
        self._talk += [asked, {"role": "assistant", "content": text[-LONGEST_ECHO:]}]
        while sum(len(one["content"]) for one in self._talk) > LONGEST_TALK:
            del self._talk[:2]


def warm_up(game: AnyGame) -> None:
    """Play a sample deal, so that a game's lazy tables are built before the clock runs."""
    deal = game.next_deal(0, Stream("arbiter-warm"), None)
    state: Any = None if deal is None else game.start(deal)
    while state is not None and state.to_act:
        seat = state.to_act[0]
        word = game.action_text(state, seat, state.legal(seat)[0])
        state = state.apply(seat, game.parse(state, seat, word))


def refusal(game: AnyGame, state: Any, seat: Seat, word: str) -> str:
    """Return why an answer is illegal, or ""; `state` may have unknown cards."""
    try:
        action = game.parse(state, seat, word)
        if state.allows(seat, action):
            return ""
        state.apply(seat, action)
    except IllegalAction as error:
        return error.with_word(word)
    return f"{word} is none of the legal answers"


class _Line:
    """The socket to the gateway."""

    def __init__(self) -> None:
        try:
            self._from = os.fdopen(LINE, "rb", closefd=False)
            self._to = os.fdopen(LINE, "wb", closefd=False)
        except OSError:
            sys.exit("a model plays only in matches: expected a gateway on descriptor 3")

    def read_message(self) -> dict[str, Any]:
        """Read the next message; end the program at the end of input."""
        line = self._from.readline()
        if not line:
            sys.exit("the gateway has ended")
        message: dict[str, Any] = json.loads(line)
        return message

    def ask(self, messages: Messages) -> dict[str, Any]:
        """Send the gateway a question; return its answer."""
        self._to.write(json.dumps({"messages": messages}).encode() + b"\n")
        self._to.flush()
        return self.read_message()


def main(commands: BinaryIO, replies: BinaryIO) -> None:
    """Play one match on standard streams, asking on descriptor 3."""
    line = _Line()
    harness = Harness.of(line.read_message(), line.ask)
    warm_up(harness.game)
    for command in commands:
        words = command.decode().rstrip()
        if words == "quit":
            replies.write(b"=\n\n")
            replies.flush()
            return
        if words.startswith("gen_"):
            harness.left = line.read_message()["left"]
        replies.write(f"{harness.reply(words)}\n\n".encode())
        replies.flush()
