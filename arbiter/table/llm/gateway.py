"""The gateway of one seat in one match: it answers the harness's questions, and keeps accounts of them.

What the provider fails to do is nobody's fault: the same question is asked again for a while, and then the
match is void (`outage`). What the model does with its tokens and attempts is its own (`fault`). The
provider's time is no time of the bot's: `away_ns` says how much has passed.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any, TypeAlias

from arbiter.errors import ConfigError, ProviderOutage
from arbiter.match.record import Fault
from arbiter.match.spec import ModelEntry
from arbiter.table.llm.provider import Provider, ProviderFailure, Streamed
from arbiter.table.llm.token_account import TokenAccount, TokenCount, asked_tokens, counted

Message: TypeAlias = Mapping[str, str]
Pause: TypeAlias = Callable[[float], bool]
"""Waits some seconds; True where it is over."""

TRIES = 5
"""Of one question, while the provider fails."""
LONGEST_PAUSE_S = 30.0
"""Between two of them, whatever the provider asks for."""
LONGEST_QUESTION = 256 * 1024
"""Bytes of a message of the harness."""
ROLES = frozenset({"system", "user", "assistant"})
LONGEST_THOUGHT = 16 * 1024
"""Characters of reasoning that are kept of an answer."""
HIDDEN_KEY = "[key]"
SHORTEST_SECRET = 8
"""Characters: what is shorter is a word that a local server takes for a key."""
FAULTS = {"text": Fault.UNPARSABLE, "truncated": Fault.TRUNCATED, "tokens": Fault.TOKENS}
"""By how the last attempt of a decision ended; a refusal is one as any bot's."""


def read_key(variable: str) -> str:
    """The key that an environment variable has; ConfigError where it has none."""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f"the environment has no {variable}", hint=f"export {variable}=... before the command"
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(f"what {variable} has is no key", hint="one word of plain characters")
    return key


def key_of(entry: ModelEntry) -> str:
    """The key of a model, "" where it needs none; ProviderOutage where the environment lacks it."""
    try:
        return read_key(entry.key_env) if entry.key_env else ""
    except ConfigError as error:
        raise ProviderOutage(f"model {entry.name} cannot be asked: {error}") from None


class Gateway:
    """A seat's gateway. `far` is the harness's end of the socket; `answer` runs in a thread of its own."""

    def __init__(
        self,
        entry: ModelEntry,
        hello: Mapping[str, Any],
        provider: Provider | None = None,
        pause: Pause | None = None,
    ) -> None:
        """`hello` is what the harness hears first; ProviderOutage where there is no key."""
        self._entry = entry
        self._key = key_of(entry)
        self._provider = provider or Provider(entry, self._key)
        self._over = threading.Event()
        self._pause = pause or self._over.wait
        self._account = TokenAccount(entry)
        self._lock = threading.Lock()
        self._away_ns = self._since_ns = 0
        self._decision = 0
        self._last: list[Message] = []
        self._outcome = self._used_up = ""
        self.outage = ""
        """Why the match is void, "" while it is not."""
        self.calls: list[dict[str, Any]] = []
        """What was asked and answered, as `BotReport.model` keeps it."""
        self.broken_off = 0
        """Pieces of answers that broke off: nobody's tokens, but perhaps somebody's bill."""
        self.asked = 0
        """Tokens of all questions to which an answer came, or began to."""
        self._near, self.far = socket.socketpair()
        self._say(hello)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> None:
        """Let go of the harness's end, which it has by now, and answer it."""
        self.far.close()
        self._thread.start()

    def open(self) -> None:
        """A decision begins: say what is left."""
        with self._lock:
            self._decision += 1
            self._outcome = ""
            self._account.open()
            left = self._account.left()
        self._say({"left": left}, socket.MSG_DONTWAIT)

    def close_decision(self) -> None:
        """It is over: nothing more may be asked for it."""
        with self._lock:
            self._account.close()

    def fault(self) -> tuple[Fault, str] | None:
        """The fault of a model that gave no answer to the last decision, and the reason for all readers."""
        if (kind := FAULTS.get(self._outcome)) is None:
            return None
        tried = sum(call["decision"] == self._decision for call in self.calls)
        attempts = f"{tried} attempt{'s' * (tried != 1)}"
        if kind is Fault.TOKENS:
            return kind, f"no answer: {self._used_up}"
        if kind is Fault.TRUNCATED:
            return kind, f"no answer in {attempts}: the last reply broke off before its end"
        return kind, f"no answer in {attempts}: the last reply has no line ANSWER with an answer"

    def away_ns(self) -> int:
        """For how long, in all, the harness has waited for the provider; in ns."""
        with self._lock:
            return self._away_ns + (time.monotonic_ns() - self._since_ns if self._since_ns else 0)

    def end(self) -> None:
        """End what is under way; the harness gets no more answers."""
        self._over.set()
        self._provider.hang_up()
        with suppress(OSError):
            self._near.shutdown(socket.SHUT_RDWR)
        if self._thread.ident is not None:
            self._thread.join()
        self._near.close()
        self.far.close()

    def _say(self, message: Mapping[str, Any], flags: int = 0) -> None:
        """Send a message; a harness that reads none gets none."""
        with suppress(OSError):
            self._near.sendall(json.dumps(message).encode() + b"\n", flags)

    def _serve(self) -> None:
        """Answer questions until the harness or the match ends."""
        with self._near.makefile("rb") as questions:
            while True:
                waited = queued_ns()
                try:
                    line = questions.readline(LONGEST_QUESTION + 1)
                except OSError:
                    return
                if not line.endswith(b"\n"):
                    # The end, or more than a question may have.
                    return
                with self._lock:
                    # From when it had come: until then this thread had only waited for the core.
                    self._since_ns = time.monotonic_ns() - (queued_ns() - waited)
                answer = self.answer(messages_of(line))
                self._say(answer)
                with self._lock:
                    self._away_ns += time.monotonic_ns() - self._since_ns
                    self._since_ns = 0

    def answer(self, messages: list[Message] | None) -> dict[str, Any]:
        """The answer to a question: its `outcome`, and with "text" the `text`."""
        with self._lock:
            account = self._account
            if messages is None or not account.attempts or self.outage:
                return {"outcome": "unasked"}
            account.attempts -= 1
            allowed = account.allowed
        if not allowed:
            self._outcome, self._used_up = "tokens", account.used_up()
            return {"outcome": "tokens"}
        began = time.monotonic()
        tries: list[str] = []
        try:
            streamed = self._asked(messages, allowed, began + self._entry.deadline_s, tries)
        except ProviderFailure as failure:
            self.outage = str(failure)
            return {"outcome": "outage"}
        count = counted(streamed, allowed)
        asked = asked_tokens(messages, streamed.asked)
        self.asked += asked
        account.charge(count.tokens)
        outcome = outcome_of(streamed, count.tokens, allowed)
        if outcome == "tokens":
            self._used_up = account.used_up()
        text, thought = self._clean(streamed.text), self._clean(streamed.thought)
        streamed = streamed._replace(text=text, thought=thought, model=self._clean(streamed.model))
        call = self._kept(messages, outcome, streamed, count) | {
            "asked": asked,
            "ms": round((time.monotonic() - began) * 1000),
        }
        self.calls.append(call | ({"tries": tries} if tries else {}))
        self._outcome = outcome
        return {"outcome": outcome, "text": streamed.text} if outcome == "text" else {"outcome": outcome}

    def _asked(self, messages: Sequence[Message], allowed: int, until: float, tries: list[str]) -> Streamed:
        """The provider's answer to one of a few tries; ProviderFailure after the last."""
        while True:
            try:
                return self._provider.ask(messages, allowed, until - time.monotonic())
            except ProviderFailure as failure:
                if failure.pieces:
                    self.broken_off += failure.pieces
                    self.asked += asked_tokens(messages, None)
                tries.append(str(failure))
                pause = failure.pause if failure.pause is not None else 2.0 ** (len(tries) - 1)
                pause = min(pause, LONGEST_PAUSE_S)
                if not failure.again or len(tries) == TRIES or time.monotonic() + pause >= until:
                    more = f" ({len(tries)} tries)" if len(tries) > 1 else ""
                    raise ProviderFailure(f"{self._provider.host} failed: {failure}{more}") from None
                if self._pause(pause):
                    raise ProviderFailure("the match was over") from None

    def _kept(
        self, messages: list[Message], outcome: str, streamed: Streamed, count: TokenCount
    ) -> dict[str, Any]:
        """A question and its answer, as JSON values; messages of the question before are not repeated."""
        pairs = zip(messages, self._last, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        self._last = messages
        call: dict[str, Any] = {
            "decision": self._decision,
            "same": same,
            "messages": [dict(message) for message in messages[same:]],
            "outcome": outcome,
            "text": streamed.text,
            "tokens": count.tokens,
            "pieces": streamed.pieces,
            "reported": streamed.reported,
            "model": streamed.model,
        }
        more = {"thought": streamed.thought[:LONGEST_THOUGHT], "hidden": streamed.hidden, "lie": count.lie}
        return call | {key: value for key, value in more.items() if value}

    def _clean(self, text: str) -> str:
        """A text without the key, should a provider repeat it."""
        return text.replace(self._key, HIDDEN_KEY) if len(self._key) >= SHORTEST_SECRET else text


def queued_ns() -> int:
    """For how long this thread has stood on a run queue, in ns; 0 where the kernel does not say."""
    with suppress(OSError, ValueError, IndexError), open("/proc/thread-self/schedstat", "rb") as schedstat:
        return int(schedstat.read().split()[1])
    return 0


def outcome_of(streamed: Streamed, tokens: int, allowed: int) -> str:
    """Return how an attempt ended: text, refused, truncated, or tokens where they were used up."""
    if streamed.refused or streamed.finish == "content_filter":
        return "refused"
    if streamed.finish == "length":
        return "tokens" if tokens >= allowed else "truncated"
    return "text"


def messages_of(line: bytes) -> list[Message] | None:
    """The messages of a question; None for what is none."""
    try:
        messages = json.loads(line)["messages"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(messages, list) or not messages:
        return None
    for message in messages:
        if not isinstance(message, dict) or message.keys() != {"role", "content"}:
            return None
        if message["role"] not in ROLES or not isinstance(message["content"], str):
            return None
    return messages
