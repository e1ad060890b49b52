"""The gateway of one seat in one match: it answers the harness's questions, and counts their tokens.

A failure of the provider is not a fault: the question is repeated for a while, and then the match is void
(`outage`). The model is responsible for its tokens and attempts (`fault`). The provider's time is not
charged to the bot: `away_ns` is its total.
"""

from __future__ import annotations

import json
import os
import random
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from itertools import takewhile
from typing import Any, TypeAlias

from arbiter.errors import ConfigError, ProviderOutage
from arbiter.match.record import Fault
from arbiter.match.spec import ModelEntry
from arbiter.table.llm.answer_stream import FAULTS, ProviderFailure, Streamed
from arbiter.table.llm.endpoint_queue import EndpointQueue
from arbiter.table.llm.provider import Provider
from arbiter.table.llm.token_account import TokenAccount, TokenCount, count_tokens, question_tokens

Message: TypeAlias = Mapping[str, str]
Pause: TypeAlias = Callable[[float], bool]
"""Waits some seconds; returns True if the match is over."""

TRIES = 5
"""The most tries of one question, while the provider fails."""
LONGEST_PAUSE_S = 30.0
"""The longest pause between two tries, even if the provider requests more."""
LONGEST_QUESTION = 256 * 1024
"""The most bytes of a message of the harness."""
LONG = "long"
"""The outcome of a question that is longer than the model's context, and has messages to leave out."""
MOST_LONG = 20
"""The most such questions of one decision."""
FEWEST_MESSAGES = 2
"""The messages that a question cannot leave out: the rules and the request."""
NAME_STATUS = frozenset({400, 404})
LISTING_S = 10.0
"""The most seconds for a provider's list of models."""
ROLES = frozenset({"system", "user", "assistant"})
LONGEST_THOUGHT = 16 * 1024
"""The most characters of an answer's reasoning that are recorded."""
HIDDEN_KEY = "[key]"
SHORTEST_SECRET = 8
"""The least characters of a secret key: shorter ones are dummy words for local servers."""


def read_key(variable: str) -> str:
    """Return the key in an environment variable; ConfigError if it is missing or invalid."""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f"the environment variable {variable} is not set",
            hint=f"export {variable}=... before the command",
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(f"{variable} is not a valid key", hint="expected one word of ASCII characters")
    return key


def key_of(entry: ModelEntry) -> str:
    """Return the key of a model, "" if it needs none; ProviderOutage if the environment lacks it."""
    try:
        return read_key(entry.key_env) if entry.key_env else ""
    except ConfigError as error:
        raise ProviderOutage(f"model {entry.name} cannot be asked: {error}") from None


class Gateway:
    """A seat's gateway. `far` is the harness's end of the socket; `answer` runs in a separate thread."""

    def __init__(
        self,
        entry: ModelEntry,
        hello: Mapping[str, Any],
        provider: Provider | None = None,
        pause: Pause | None = None,
    ) -> None:
        """`hello` is the first message to the harness; ProviderOutage without a key."""
        self._entry = entry
        self._key = key_of(entry)
        self._provider = provider or Provider(entry, self._key)
        self._over = threading.Event()
        self._pause = pause or self._over.wait
        self._queue = EndpointQueue(entry.endpoint, self._over.wait)
        self._account = TokenAccount(entry)
        self._lock = threading.Lock()
        self._away_ns = self._since_ns = 0
        self._decision = 0
        self._last: list[Message] = []
        self._outcome = self._used_up = ""
        self.outage = ""
        """Why the match is void, or ""."""
        self.unanswered: dict[str, Any] | None = None
        """The call that had no answer, by the outage."""
        self.calls: list[dict[str, Any]] = []
        """The questions and answers, as in `BotReport.model`."""
        self.broken_off = 0
        """The pieces of incomplete answers: not the model's tokens, but perhaps billed."""
        self.asked = 0
        """The tokens of all questions to which an answer came, even an incomplete one."""
        self._near, self.far = socket.socketpair()
        self._send_message(hello)
        self._thread = threading.Thread(target=self._answer_questions, daemon=True)

    def start(self) -> None:
        """Close this process's copy of the harness's end, and start answering."""
        self.far.close()
        self._thread.start()

    def open(self) -> None:
        """Begin a decision: reset its account, and send the harness the remaining tokens."""
        with self._lock:
            self._decision += 1
            self._outcome = ""
            self._account.open()
            left = self._account.left()
        self._send_message({"left": left}, socket.MSG_DONTWAIT)

    def close_decision(self) -> None:
        """End the decision: refuse further questions."""
        with self._lock:
            self._account.close()

    def fault(self) -> tuple[Fault, str] | None:
        """Return the fault of a model without an answer to the last request, with the public reason."""
        if (kind := FAULTS.get(self._outcome)) is None:
            return None
        tried = self._calls_now() - self._calls_now(LONG)
        attempts = f"{tried} attempt{'s' * (tried != 1)}"
        if kind is Fault.TOKENS:
            return kind, f"no answer: {self._used_up}"
        if kind is Fault.TRUNCATED:
            return kind, f"no answer in {attempts}: the last reply broke off before its end"
        return kind, f"no answer in {attempts}: the last reply has no line ANSWER with an answer"

    def _calls_now(self, outcome: str = "") -> int:
        """Return the number of calls of this decision, or of those with an outcome."""
        return sum(
            call["decision"] == self._decision and call["outcome"].startswith(outcome) for call in self.calls
        )

    def away_ns(self) -> int:
        """Return for how long in all the harness has waited for the provider, in ns."""
        with self._lock:
            return self._away_ns + (time.monotonic_ns() - self._since_ns if self._since_ns else 0)

    def end(self) -> None:
        """End the question in progress, the thread, and both ends of the socket."""
        self._over.set()
        self._provider.hang_up()
        with suppress(OSError):
            self._near.shutdown(socket.SHUT_RDWR)
        if self._thread.ident is not None:
            self._thread.join()
        self._near.close()
        self.far.close()

    def _send_message(self, message: Mapping[str, Any], flags: int = 0) -> None:
        """Send a message, unless the harness does not read."""
        with suppress(OSError):
            self._near.sendall(json.dumps(message).encode() + b"\n", flags)

    def _answer_questions(self) -> None:
        """Answer questions until the harness or the match ends."""
        with self._near.makefile("rb") as questions:
            while True:
                waited = queued_ns()
                try:
                    line = questions.readline(LONGEST_QUESTION + 1)
                except OSError:
                    return
                if not line.endswith(b"\n"):
                    # The end of input, or too long a question.
                    return
                with self._lock:
                    # From its arrival: since then this thread has only waited for the core.
                    self._since_ns = time.monotonic_ns() - (queued_ns() - waited)
                answer = self.answer(parse_messages(line))
                self._send_message(answer)
                with self._lock:
                    self._away_ns += time.monotonic_ns() - self._since_ns
                    self._since_ns = 0

    def answer(self, messages: list[Message] | None) -> dict[str, Any]:
        """Ask the provider, charge and record the answer. Return its `outcome`, and for "text" the `text`.

        Other outcomes: those of `outcome_of`, `LONG` to ask again with fewer messages, "outage", and without
        a request "unasked" or "tokens".
        """
        with self._lock:
            account = self._account
            if messages is None or not account.attempts or self.outage:
                return {"outcome": "unasked"}
            account.attempts -= 1
            allowed = account.allowed
        if not allowed:
            self._outcome, self._used_up = "tokens", account.empty_account_text()
            return {"outcome": "tokens"}
        began = time.monotonic()
        tries: list[str] = []
        try:
            streamed = self._ask_with_retries(messages, allowed, tries)
        except ProviderFailure as failure:
            ms = round((time.monotonic() - began) * 1000)
            if failure.too_long and len(messages) > FEWEST_MESSAGES and self._calls_now(LONG) < MOST_LONG:
                with self._lock:
                    account.attempts += account.move > 0
                self.calls.append(self._call_without_answer(messages, LONG, tries, ms))
                return {"outcome": LONG}
            self.outage = str(failure)
            call = self._call_without_answer(messages, "outage", tries, ms)
            self.unanswered = call | {"same": 0, "messages": messages}
            return {"outcome": "outage"}
        count = count_tokens(streamed, allowed)
        asked = question_tokens(messages, streamed.asked)
        self.asked += asked
        account.charge(count.tokens)
        outcome = outcome_of(streamed, count.tokens, allowed)
        if outcome == "tokens":
            self._used_up = account.empty_account_text()
        text, thought = self._without_key(streamed.text), self._without_key(streamed.thought)
        streamed = streamed._replace(text=text, thought=thought, model=self._without_key(streamed.model))
        call = self._call_record(messages, outcome, streamed, count) | {
            "asked": asked,
            "ms": round((time.monotonic() - began) * 1000),
        }
        self.calls.append(call | ({"tries": tries} if tries else {}))
        self._outcome = outcome
        return {"outcome": outcome, "text": streamed.text} if outcome == "text" else {"outcome": outcome}

    def _ask_with_retries(self, messages: Sequence[Message], allowed: int, tries: list[str]) -> Streamed:
        """Ask the provider, with retries. Return its answer; ProviderFailure after the last try.

        The deadline does not count waiting for other questions of ours.
        """
        until = time.monotonic() + self._entry.deadline_s
        while True:
            waits = time.monotonic()
            try:
                with self._queue.turn():
                    until += time.monotonic() - waits
                    return self._provider.ask(messages, allowed, until - time.monotonic())
            except ProviderFailure as failure:
                if failure.pieces:
                    self.broken_off += failure.pieces
                    self.asked += question_tokens(messages, None)
                tries.append(str(failure))
                pause = failure.pause if failure.pause is not None else 2.0 ** (len(tries) - 1)
                # Questions that failed together are not repeated together.
                pause = min(pause, LONGEST_PAUSE_S) * random.uniform(1, 1.5)
                most, hint = self._most_tries(failure, len(tries))
                if not failure.again or len(tries) >= most or time.monotonic() + pause >= until:
                    more = f" ({len(tries)} tries)" if len(tries) > 1 else ""
                    why = f"{self._provider.host} failed: {failure}{hint}{more}"
                    raise ProviderFailure(why, too_long=failure.too_long) from None
                if self._pause(pause):
                    raise ProviderFailure("the match was over") from None

    def _most_tries(self, failure: ProviderFailure, tried: int) -> tuple[int, str]:
        """Return how often a question is asked after a failure, and an additional reason."""
        if failure.too_long:
            return 2, ""
        name = self._entry.name
        # Some servers answer 500 for a wrong name, some proxies 400 without a word of it.
        may_be_name = failure.status in NAME_STATUS or failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if may_be_name and (tried > 1 or not failure.again) and not self.calls:
            listed = self._provider.names(LISTING_S)
            if listed and name not in listed:
                return tried, f"; {name} is not in its list of models"
        return TRIES, ""

    def _call_without_answer(
        self, messages: list[Message], outcome: str, tries: list[str], ms: int
    ) -> dict[str, Any]:
        """Return a call whose question had no answer: it costs nothing."""
        nothing = Streamed("", "", 0, None, 0, "", False, "")
        call = self._call_record(messages, outcome, nothing, TokenCount(0))
        return call | {"asked": 0, "ms": ms, "tries": tries}

    def _call_record(
        self, messages: list[Message], outcome: str, streamed: Streamed, count: TokenCount
    ) -> dict[str, Any]:
        """Return a call as JSON, less first messages as in the last question; keep its as the last."""
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

    def _without_key(self, text: str) -> str:
        """Return a text without the key, which a provider may repeat."""
        return text.replace(self._key, HIDDEN_KEY) if len(self._key) >= SHORTEST_SECRET else text


def queued_ns() -> int:
    """Read for how long this thread has been on run queues, in ns; 0 if the kernel does not report it."""
    with suppress(OSError, ValueError, IndexError), open("/proc/thread-self/schedstat", "rb") as schedstat:
        return int(schedstat.read().split()[1])
    return 0


def outcome_of(streamed: Streamed, tokens: int, allowed: int) -> str:
    """Return how an attempt ended: "text", "refused", "truncated", or "tokens" if they were used up."""
    if streamed.refused or streamed.finish == "content_filter":
        return "refused"
    if streamed.finish == "length":
        return "tokens" if tokens >= allowed else "truncated"
    return "text"


def parse_messages(line: bytes) -> list[Message] | None:
    """Parse the messages of a question; None if it is invalid."""
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
