"""The gateway: what it counts, what it takes for a fault of the model, and what for an outage."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from contextlib import ExitStack, contextmanager
from shutil import which
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from arbiter.errors import ProviderOutage
from arbiter.match.record import Fault
from arbiter.table.llm.answer_stream import LONGEST_TEXT, ProviderFailure, Streamed
from arbiter.table.llm.endpoint_queue import CALM_S, EndpointQueue
from arbiter.table.llm.gateway import LONGEST_PAUSE_S, LONGEST_QUESTION, TRIES, Gateway, parse_messages
from arbiter.table.llm.token_account import FRAME_TOKENS, count_tokens
from tests.fixtures.provider import KEY, Served, text
from tests.table.llm.faults import faulty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.match.spec import ModelEntry
    from tests.fixtures.provider import FakeProvider

MESSAGES = [{"role": "user", "content": "Request: gen_move"}]


@contextmanager
def gateway_of(entry: ModelEntry, pauses: list[float] | None = None) -> Iterator[Gateway]:
    """A gateway in whose first decision one may ask; its pauses are noted, and take no time."""

    def pause(seconds: float) -> bool:
        if pauses is not None:
            pauses.append(seconds)
        return False

    made = Gateway(entry, {}, pause=pause)
    try:
        made.open()
        yield made
    finally:
        made.end()


def error(status: int, shape: dict[str, Any]) -> Served:
    return Served(status=status, raw=json.dumps({"error": shape}).encode())


def ask(gateway: Gateway) -> dict[str, Any]:
    return gateway.answer(list(MESSAGES))


def test_an_answer_is_the_text_that_was_streamed(provider: FakeProvider) -> None:
    provider.answer = lambda _: text("the ten is high\nANSWER: TD")
    with gateway_of(provider.entry()) as gateway:
        assert ask(gateway) == {"outcome": "text", "text": "the ten is high\nANSWER: TD"}
        assert provider.bodies[0]["messages"] == MESSAGES
        assert gateway.calls[0]["messages"] == MESSAGES
        assert gateway.calls[0]["model"] == "fake-1"


@pytest.mark.process
@pytest.mark.skipif(not which("openssl"), reason="no openssl")
def test_a_provider_is_asked_by_tls_if_its_certificate_is_to_be_trusted(
    provider: FakeProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.answer = lambda _: text("ANSWER: TD")
    certificate = provider.secure(tmp_path)
    with gateway_of(provider.entry()) as gateway:
        assert ask(gateway)["outcome"] == "outage"
        assert "its certificate is not trusted" in gateway.outage
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with gateway_of(provider.entry()) as gateway:
        assert ask(gateway)["text"] == "ANSWER: TD"


def test_tokens_are_counted_as_reported_between_the_pieces_and_what_was_allowed(
    provider: FakeProvider,
) -> None:
    """Ends of turns, tags of reasoning and blanks are tokens without text: 4 bytes may be 26 tokens."""
    for reported, counted, lie in (
        (0, 4, False),
        (None, 4, False),
        (40, 44, False),
        (-3, 4, True),
        (1000, 500, True),
    ):
        provider.answer = lambda _, reported=reported: text("one two three four", reported=reported)  # type: ignore[misc]
        with gateway_of(provider.entry(move_tokens=500)) as gateway:
            ask(gateway)
            (call,) = gateway.calls
            assert (call["pieces"], call["tokens"], "lie" in call) == (4, counted, lie)


def test_reasoning_counts_where_it_is_sent_and_where_it_is_reported(provider: FakeProvider) -> None:
    provider.answer = lambda _: text("ANSWER: TD", thought=("so", " it", " is"))
    with gateway_of(provider.entry()) as gateway:
        ask(gateway)
        assert gateway.calls[0]["tokens"] == 5
        assert gateway.calls[0]["thought"] == "so it is"
    provider.answer = lambda _: text("ANSWER: TD", hidden=40)
    with gateway_of(provider.entry()) as gateway:
        ask(gateway)
        assert (gateway.calls[0]["tokens"], gateway.calls[0]["hidden"]) == (42, 40)


def test_reported_reasoning_costs_no_more_than_was_allowed() -> None:
    streamed = Streamed("TD", "", 1, 100_001, 100_000, "stop", False, "")
    assert count_tokens(streamed, 500).tokens == 500
    assert "500 were allowed" in count_tokens(streamed, 500).lie


@pytest.mark.parametrize(
    ("reported", "counted"), [(7, 7), (10**9, len(MESSAGES[0]["content"]) + FRAME_TOKENS), (None, 6)]
)
def test_a_question_counts_as_reported_as_far_as_it_can_have_so_many_tokens(
    provider: FakeProvider, reported: int | None, counted: int
) -> None:
    provider.answer = lambda _: text("ANSWER: TD", prompt_tokens=reported)
    with gateway_of(provider.entry()) as gateway:
        ask(gateway)
        assert gateway.calls[0]["asked"] == gateway.asked == counted


def test_a_question_whose_answer_broke_off_was_asked_and_one_that_was_refused_was_not(
    provider: FakeProvider,
) -> None:
    answers = [Served(status=503), text("so far so", cut=2), text("ANSWER: TD", prompt_tokens=7)]
    provider.answer = lambda _: answers.pop(0)
    with gateway_of(provider.entry()) as gateway:
        ask(gateway)
        assert gateway.asked == 6 + 7
        assert gateway.broken_off == 2


def test_an_answer_is_asked_for_with_what_is_left(provider: FakeProvider) -> None:
    provider.answer = lambda _: text("one two three four")
    with gateway_of(provider.entry(move_tokens=10, match_tokens=11, attempts=3)) as gateway:
        ask(gateway)
        ask(gateway)
        gateway.open()
        ask(gateway)
    assert [body["max_tokens"] for body in provider.bodies] == [10, 6, 3]


def test_an_effort_is_passed_on_with_the_limit_that_reasoning_models_take(provider: FakeProvider) -> None:
    with gateway_of(provider.entry(effort="high")) as gateway:
        provider.answer = lambda _: text("TD")
        ask(gateway)
    assert provider.bodies[0]["reasoning_effort"] == "high"
    assert provider.bodies[0]["max_completion_tokens"] == 8_000
    assert "max_tokens" not in provider.bodies[0]


def test_who_sends_more_than_was_allowed_is_cut_off(provider: FakeProvider) -> None:
    provider.answer = lambda _: Served(("x ",) * 5000)
    with gateway_of(provider.entry(move_tokens=100)) as gateway:
        assert ask(gateway) == {"outcome": "tokens"}
        assert gateway.calls[0]["pieces"] == 101
        assert gateway.fault() == (Fault.TOKENS, "no answer: all 100 tokens of the move are used")


def test_a_text_without_end_is_cut_off(provider: FakeProvider) -> None:
    provider.answer = lambda _: Served(("x" * 100_000,) * 10)
    with gateway_of(provider.entry()) as gateway:
        assert ask(gateway) == {"outcome": "truncated"}
        assert len(gateway.calls[0]["text"]) <= LONGEST_TEXT + 100_000


@pytest.mark.parametrize(
    ("served", "outcome", "kind"),
    [
        (text("nothing to say"), "text", Fault.UNPARSABLE),
        (text("I was about", finish="length"), "truncated", Fault.TRUNCATED),
        (text("I", finish="content_filter"), "refused", None),
        (text("I will not", refused=True), "refused", None),
        (text("", finish="stop"), "text", Fault.UNPARSABLE),
    ],
)
def test_a_fault_says_how_the_last_attempt_ended(
    provider: FakeProvider, served: Served, outcome: str, kind: Fault | None
) -> None:
    provider.answer = lambda _: served
    with gateway_of(provider.entry()) as gateway:
        assert [ask(gateway)["outcome"], ask(gateway)["outcome"]] == [outcome, outcome]
        fault = gateway.fault()
        assert (fault and fault[0]) == kind
        if fault:
            assert "2 attempts" in fault[1]


def test_beyond_its_attempts_and_between_decisions_nothing_is_asked(provider: FakeProvider) -> None:
    provider.answer = lambda _: text("hm")
    with gateway_of(provider.entry(attempts=1)) as gateway:
        assert ask(gateway)["outcome"] == "text"
        assert ask(gateway) == {"outcome": "unasked"}
        gateway.open()
        gateway.close_decision()
        assert ask(gateway) == {"outcome": "unasked"}
    assert len(provider.bodies) == 1


def test_without_tokens_for_the_match_nothing_is_asked(provider: FakeProvider) -> None:
    provider.answer = lambda _: text("one two three")
    with gateway_of(provider.entry(match_tokens=3)) as gateway:
        ask(gateway)
        assert ask(gateway) == {"outcome": "tokens"}
        assert gateway.fault() == (Fault.TOKENS, "no answer: all 3 tokens of the match are used")
    assert len(provider.bodies) == 1


@pytest.mark.parametrize(
    ("failing", "why"),
    [
        (Served(status=500), "HTTP 500 Internal Server Error"),
        (Served(status=429), "HTTP 429 Too Many Requests"),
        (text("a b c", cut=2), "its stream was cut"),
        (Served(raw=b"data: [DONE]\n\n"), "its stream ended without a finish_reason: the server interrupts questions for others (llama-cpp-python: set --interrupt_requests false)"),
        (Served(raw=b"data: {no json}\n\n"), "an event of its stream is no JSON"),
        (Served(raw=b"data: [1]\n\n"), "an event of its stream is no object"),
        (Served(raw=b'data: {"error": {"message": "overloaded"}}\n\n'), "an error in its stream"),
        (Served(raw=b'data: {"error": {"type": "server_error", "code": 500}}\n\n'), "an error in its stream: server_error, code 500"),
        (Served(raw=b"data: " + b"[" * 100_000 + b"\n\n"), "an event of its stream is no JSON"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_provider_that_fails_is_asked_again_and_then_the_match_is_void(
    provider: FakeProvider, failing: Served, why: str
) -> None:
    provider.answer = lambda _: failing
    pauses: list[float] = []
    with gateway_of(provider.entry(), pauses) as gateway:
        assert ask(gateway) == {"outcome": "outage"}
        host = provider.endpoint.split("/")[2]
        assert gateway.outage == f"{host} failed: {why} ({TRIES} tries)"
        assert all(least <= pause <= 1.5 * least for least, pause in zip((1, 2, 4, 8), pauses, strict=True))
        assert gateway.fault() is None
        assert ask(gateway) == {"outcome": "unasked"}


def test_an_outage_in_between_costs_no_tokens_and_no_attempt(provider: FakeProvider) -> None:
    answers = iter([text("a b c d e", cut=3), Served(status=503), text("ANSWER: TD")])
    provider.answer = lambda _: next(answers)
    with gateway_of(provider.entry(attempts=1)) as gateway:
        assert ask(gateway) == {"outcome": "text", "text": "ANSWER: TD"}
        (call,) = gateway.calls
        assert call["tokens"] == 2
        assert call["tries"] == ["its stream was cut", "HTTP 503 Service Unavailable"]


def test_a_provider_is_waited_for_as_long_as_it_asks_within_bounds(provider: FakeProvider) -> None:
    waits = iter(["7", "86400", "soon"])
    busy = (Served(status=429, headers={"Retry-After": after}) for after in waits)
    answers = iter([*busy, text("TD")])
    provider.answer = lambda _: next(answers)
    pauses: list[float] = []
    with gateway_of(provider.entry(), pauses) as gateway:
        assert ask(gateway)["outcome"] == "text"
    assert all(
        least <= pause <= 1.5 * least for least, pause in zip((7, LONGEST_PAUSE_S, 4), pauses, strict=True)
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404, 301])
def test_what_asking_again_cannot_mend_is_asked_once(provider: FakeProvider, key: str, status: int) -> None:
    provider.answer = lambda _: Served(status=status, headers={"Location": "http://127.0.0.1:9/"})
    with gateway_of(provider.entry(key_env=key)) as gateway:
        assert ask(gateway) == {"outcome": "outage"}
        assert f"HTTP {status}" in gateway.outage
        assert KEY not in gateway.outage
    assert len(provider.bodies) == 1


ERRORS: dict[str, tuple[Served, str]] = {
    "llama.cpp": (
        error(400, {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 2711, "n_ctx": 2048}),
        "HTTP 400 Bad Request: exceed_context_size_error, 2711 tokens for a context of 2048, the context is too small for question and answer",
    ),
    "vLLM": (
        error(400, {"type": "BadRequestError", "param": "input_tokens", "code": 400}),
        "HTTP 400 Bad Request: BadRequestError, param input_tokens, the context is too small for question and answer",
    ),
    "a name": (
        error(404, {"type": "NotFoundError", "param": None, "code": 404}),
        "HTTP 404 Not Found: NotFoundError, check the model's name and the endpoint",
    ),
    "a proxy": (
        error(400, {"type": "no_db_connection", "param": None, "code": "400"}),
        "HTTP 400 Bad Request: no_db_connection, check the key in key_env",
    ),
    "FastAPI": (
        Served(status=422, raw=b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "stop"], "msg": "x"}]}'),
        "HTTP 422 Unprocessable Entity: extra_forbidden, param stop",
    ),
    "prose and a key": (
        error(400, {"type": KEY, "code": f"Your key {KEY}", "param": KEY, "message": KEY}), "HTTP 400 Bad Request"
    ),
    "no object": (Served(status=400, raw=b"[" * 10_000), "HTTP 400 Bad Request"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ERRORS)
def test_known_words_of_an_error_are_its_reason(provider: FakeProvider, kind: str) -> None:
    served, why = ERRORS[kind]
    provider.answer = lambda _: served
    with gateway_of(provider.entry()) as gateway:
        assert ask(gateway) == {"outcome": "outage"}
        assert gateway.outage == f"{provider.endpoint.split('/')[2]} failed: {why}"


def test_a_stream_without_an_event_and_a_name_that_is_not_listed_are_asked_twice(
    provider: FakeProvider,
) -> None:
    for failing, why in (
        (Served(raw=b""), "HTTP 200 without an event: the question may be longer than the model's context"),
        (Served(status=500), "HTTP 500 Internal Server Error; other is not in its list of models"),
    ):
        provider.answer = lambda _, failing=failing: failing  # type: ignore[misc]
        with gateway_of(provider.entry(name="other")) as gateway:
            ask(gateway)
            assert gateway.outage == f"{provider.endpoint.split('/')[2]} failed: {why} (2 tries)"
    provider.answer = lambda _: error(400, {"type": "invalid_request_error", "code": "400"})
    with gateway_of(provider.entry(name="other")) as gateway:
        ask(gateway)
        assert gateway.outage.endswith(
            "Bad Request: invalid_request_error; other is not in its list of models"
        )


def test_after_questions_at_once_broke_off_they_are_asked_one_at_a_time(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1e9
    monkeypatch.setattr("arbiter.table.llm.endpoint_queue.time.time", lambda: now)
    waits: list[float] = []

    def give_up(seconds: float) -> bool:
        waits.append(seconds)
        return True

    queues = [EndpointQueue(provider.endpoint, give_up) for _ in range(2)]
    cut = ProviderFailure("its stream was cut")
    cut.status = 200

    def may_ask_together() -> bool:
        with queues[0].turn():
            try:
                with queues[1].turn():
                    return True
            except ProviderFailure:
                return False

    def break_off(others: int) -> None:
        with pytest.raises(ProviderFailure, match="was cut"), ExitStack() as asked:
            for queue in queues[: others + 1]:
                asked.enter_context(queue.turn())
            raise cut

    break_off(0)
    assert may_ask_together()
    for calm_s in (CALM_S, 2 * CALM_S):
        break_off(1)
        now += calm_s - 1
        assert not may_ask_together()
        now += 2
        assert may_ask_together()
    assert len(waits) == 2


class Cue(threading.Thread):
    """A timer whose time is over when the provider has fallen silent."""

    silent: ClassVar[threading.Event]

    def __init__(self, _: float, function: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._function = function

    def run(self) -> None:
        self.silent.wait()
        self._function()

    def cancel(self) -> None:
        pass


@pytest.mark.parametrize(("pieces", "what"), [(0, "no answer"), (2, "no whole answer")])
def test_silence_ends_at_the_deadline(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, pieces: int, what: str
) -> None:
    monkeypatch.setattr(Cue, "silent", provider.silent, raising=False)
    monkeypatch.setattr("arbiter.table.llm.provider.threading.Timer", Cue)
    provider.answer = lambda _: text("a b c", silent=pieces)
    with gateway_of(provider.entry()) as gateway:
        assert ask(gateway) == {"outcome": "outage"}
        assert f"{what} within 300 s" in gateway.outage
        assert gateway.broken_off == pieces


def test_nobody_there_is_an_outage(provider: FakeProvider) -> None:
    entry = provider.entry()
    provider.shutdown()
    provider.server_close()
    with gateway_of(entry) as gateway:
        assert ask(gateway) == {"outcome": "outage"}
        assert "Connection refused" in gateway.outage


def test_the_end_of_a_match_ends_what_is_under_way(provider: FakeProvider) -> None:
    provider.answer = lambda _: text("a b c", silent=1)
    made = Gateway(provider.entry(), {})
    far = made.far.dup()
    with far:
        made.start()
        made.open()
        far.sendall(json.dumps({"messages": MESSAGES}).encode() + b"\n")
        while not provider.bodies:
            assert made.away_ns() >= 0
        made.end()
        assert made.outage


def test_only_the_time_of_questions_is_away(provider: FakeProvider) -> None:
    provider.answer = lambda _: text("ANSWER: TD")
    made = Gateway(provider.entry(), {"hello": 1})
    with made.far.dup() as far, far.makefile("rb") as heard:
        made.start()
        made.open()
        assert [json.loads(heard.readline()) for _ in range(2)] == [
            {"hello": 1},
            {"left": {"move": 8000, "match": 400_000, "attempts": 2}},
        ]
        assert made.away_ns() == 0
        far.sendall(json.dumps({"messages": MESSAGES}).encode() + b"\n")
        assert json.loads(heard.readline())["outcome"] == "text"
        made.end()
        away = made.away_ns()
        assert away > 0
        assert made.away_ns() == away


def test_a_harness_that_asks_too_much_is_not_heard(provider: FakeProvider) -> None:
    made = Gateway(provider.entry(), {})
    with made.far.dup() as far:
        made.start()
        made.open()
        far.sendall(b"x" * (LONGEST_QUESTION + 1))
        made._thread.join()
        made.end()
    assert provider.bodies == []


@pytest.mark.parametrize(
    "line",
    [b"", b"[]", b"{}", b'{"messages": []}', b'{"messages": [1]}', b"[" * 100_000,
     b'{"messages": [{"role": "tool", "content": ""}]}', b'{"messages": [{"role": "user", "content": 1}]}',
     b'{"messages": [{"role": "user", "content": "", "name": "x"}]}'],
    ids=repr,
)  # fmt: skip
def test_what_is_no_question_is_not_asked(line: bytes) -> None:
    assert parse_messages(line) is None


def test_the_key_is_sent_and_stands_nowhere_else(provider: FakeProvider, key: str) -> None:
    provider.answer = lambda _: text(f"my key is {KEY} ANSWER: TD", thought=(KEY,))
    with gateway_of(provider.entry(key_env=key)) as gateway:
        answer = ask(gateway)
        assert provider.authorized == [f"Bearer {KEY}"]
        assert KEY not in repr(answer) + repr(gateway.calls)
        assert "[key]" in answer["text"]


def test_without_a_key_in_the_environment_nothing_is_played(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ProviderOutage, match="export NO_KEY"):
        Gateway(provider.entry(key_env="NO_KEY"), {})
    monkeypatch.setenv("NO_KEY", "two words\nand a line")
    with pytest.raises(ProviderOutage, match="NO_KEY is not a valid key") as raised:
        Gateway(provider.entry(key_env="NO_KEY"), {})
    assert "two words" not in str(raised.value)


def test_messages_that_were_sent_before_are_kept_once(provider: FakeProvider) -> None:
    provider.answer = lambda _: text("hm")
    with gateway_of(provider.entry()) as gateway:
        gateway.answer([*MESSAGES])
        gateway.answer([*MESSAGES, {"role": "assistant", "content": "hm"}])
        assert [(call["same"], len(call["messages"])) for call in gateway.calls] == [(0, 1), (1, 1)]


def test_the_count_is_the_providers_through_all_faults(provider: FakeProvider) -> None:
    draw = random.Random(7)
    provider.answer = lambda _: faulty(draw)
    calls: list[dict[str, Any]] = []
    outcomes: Counter[str] = Counter()
    spent = 0
    for _ in range(60):
        with gateway_of(provider.entry(attempts=5, move_tokens=100_000)) as gateway:
            outcomes.update(ask(gateway)["outcome"] for _ in range(5))
            calls += gateway.calls
            spent += gateway.broken_off
    assert sum(call["pieces"] + call.get("hidden", 0) for call in calls) == provider.truth
    assert sum("lie" in call for call in calls) == provider.lies
    assert spent == provider.broken
    assert {"text", "truncated", "refused"} <= outcomes.keys()
    assert any("tries" in call for call in calls)
