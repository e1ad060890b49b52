"""An answer as it is streamed: its text, its counts, and how it ended.

All input is bounded and checked.
"""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.match.record import Fault
from arbiter.table.llm.provider_errors import reason_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LONGEST_TEXT = 256 * 1024
"""The most characters of an answer with its reasoning; the stream is cut there."""
LONGEST_EVENT, LONGEST_STREAM = 1 << 20, 32 << 20
"""The most bytes of one event, and of all."""
CHUNK = 65_536
FAULTS = {"text": Fault.UNPARSABLE, "truncated": Fault.TRUNCATED, "tokens": Fault.TOKENS}
"""By the outcome of the last attempt of a decision; a refusal is a fault as of any bot."""
_NO_EVENT = "HTTP 200 without an event: the question may be longer than the model's context"
_NO_FINISH = (
    "its stream ended without a finish_reason: the server interrupts questions for others"
    " (llama-cpp-python: set --interrupt_requests false)"
)


class Streamed(NamedTuple):
    """An answer as received.

    `pieces` is the number of deltas with text, of the answer or of reasoning (`thought`); `reported` is the
    provider's count of tokens, `hidden` of these its count of reasoning. `finish` is the provider's
    finish reason, "length" also if it was cut here. `asked` is its count of the question's tokens.
    """

    text: str
    thought: str
    pieces: int
    reported: int | None
    hidden: int
    finish: str
    refused: bool
    model: str
    asked: int | None = None


class ProviderFailure(Exception):
    """A question without an answer; `again` if a retry may help, after `pause` seconds.

    `too_long` if the question may be longer than the model's context. `status` is that of the response, 0
    without one; `pieces` is the number of pieces received.
    """

    def __init__(
        self,
        why: str,
        again: bool = True,
        pause: float | None = None,
        too_long: bool = False,
        pieces: int = 0,
    ) -> None:
        self.again, self.pause, self.too_long, self.pieces = again, pause, too_long, pieces
        self.status = 0
        super().__init__(why)


class AnswerStream:
    """An answer being received."""

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._text: list[str] = []
        self._thought: list[str] = []
        self._length = 0
        self._finish = self._model = ""
        self._reported: int | None = None
        self._asked: int | None = None
        self._hidden = 0
        self._refused = False
        self.pieces = 0

    def read_response(self, response: http.client.HTTPResponse) -> Streamed:
        """Read a response to its end, or to the limits; ProviderFailure."""
        event: object = _NO_EVENT
        for event in _read_events(response):
            self._receive_event(event)
            if self.pieces > self._allowed or self._length > LONGEST_TEXT:
                self._finish = "length"
                break
        else:
            if event is _NO_EVENT:
                raise ProviderFailure(_NO_EVENT, too_long=True)
            if not self._finish:
                raise ProviderFailure(_NO_FINISH if event is None else "its stream was cut")
        return Streamed(
            "".join(self._text),
            "".join(self._thought),
            self.pieces,
            self._reported,
            self._hidden,
            self._finish,
            self._refused,
            self._model,
            self._asked,
        )

    def _receive_event(self, event: object) -> None:
        """Add an event of the stream to the answer; ProviderFailure if it is an error."""
        if event is None:
            return
        if not isinstance(event, dict):
            raise ProviderFailure("an event of its stream is no object")
        if event.get("error"):
            words = reason_in(event).words
            raise ProviderFailure("an error in its stream" + (words and f": {words}"))
        if isinstance(event.get("model"), str):
            self._model = event["model"][:100]
        choices = event.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._receive_choice(choices[0])
        if isinstance(usage := event.get("usage"), dict):
            self._reported = _count(usage.get("completion_tokens"))
            self._asked = _count(usage.get("prompt_tokens"))
            details = usage.get("completion_tokens_details")
            self._hidden = _count(details.get("reasoning_tokens")) or 0 if isinstance(details, dict) else 0

    def _receive_choice(self, choice: Mapping[str, Any]) -> None:
        """Add the text, the reasoning and the reason of the end in a choice to the answer."""
        if isinstance(finish := choice.get("finish_reason"), str):
            self._finish = finish[:40]
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        kept = {
            "content": self._text,
            "reasoning_content": self._thought,
            "reasoning": self._thought,
            "refusal": self._text,
        }
        found = [(name, delta[name]) for name in kept if isinstance(delta.get(name), str) and delta[name]]
        self.pieces += bool(found)
        for name, text in found:
            self._refused |= name == "refusal"
            self._length += len(text)
            kept[name].append(text)


def _read_events(response: http.client.HTTPResponse) -> Iterator[Any]:
    """Yield each event of a stream, None for its end; ProviderFailure for invalid ones."""
    rest, read = b"", 0
    while chunk := response.read1(CHUNK):
        read += len(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                data = line[5:].strip()
                if data == b"[DONE]":
                    yield None
                    return
                try:
                    yield json.loads(data)
                except (ValueError, RecursionError):
                    raise ProviderFailure("an event of its stream is no JSON") from None
        if len(rest) > LONGEST_EVENT or read > LONGEST_STREAM:
            raise ProviderFailure("its stream is longer than any answer", again=False)


def _count(value: object) -> int | None:
    """Return a reported count; None unless it is a whole number from 0."""
    return value if type(value) is int and value >= 0 else None
