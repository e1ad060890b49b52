"""The reason in a provider's error, by words of its interface alone.

A provider's prose is not quoted: it may repeat the key. Servers name the reason in `type`, `code` and `param`
of an object `error`, or as FastAPI in a list `detail`. Of these, known words and small numbers are used.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_ERROR = 64 * 1024
"""The most bytes of an error that are read."""
MOST_TOKENS = 10**9
_TOO_LONG = (
    "exceed_context_size_error context_length_exceeded context_window_exceeded_error input_tokens"
    " string_above_max_length"
)
"""Words of a question that is longer than the model's context, or leaves no room for an answer."""
_KEY = (
    "authentication_error invalid_api_key invalid_authentication missing_api_key auth_error no_db_connection"
    " token_not_found_in_db key_model_access_denied permission_denied permission_error"
    " permission_denied_error"
)
_NAME = "model_not_found not_found_error not_found not_found_exception model_not_found_error"
_OTHER = (
    "invalid_request_error bad_request_error bad_request unprocessable_entity_error unsupported_value"
    " unsupported_parameter unsupported_params_error invalid_value invalid_type missing_required_parameter"
    " integer_above_max_value integer_below_min_value extra_forbidden value_error literal_error missing"
    " not_supported_error api_error server_error internal_server_error internal_error unavailable_error"
    " service_unavailable service_unavailable_error overloaded_error engine_overloaded timeout timeout_error"
    " api_connection_error rate_limit_error rate_limit_exceeded requests tokens insufficient_quota"
    " budget_exceeded billing_not_active content_filter content_policy_violation none"
)
_PARAMS = frozenset(
    {"model", "messages", "prompt", "stream", "stream_options", "max_tokens", "max_completion_tokens",
     "reasoning_effort", "input_tokens", "response_format", "stop", "seed", "temperature"}
)  # fmt: skip


def _plain(word: str) -> str:
    """Return a word in small letters without marks: ``NotFoundError`` and ``not_found_error`` are one."""
    return re.sub(r"[^a-z0-9]", "", word.lower())


def _plain_words(text: str) -> frozenset[str]:
    return frozenset(map(_plain, text.split()))


_KNOWN = _plain_words(" ".join((_TOO_LONG, _KEY, _NAME, _OTHER)))
_HINTS = {
    _plain_words(_TOO_LONG): "the context is too small for question and answer",
    _plain_words(_KEY): "check the key in key_env",
    _plain_words(_NAME): "check the model's name and the endpoint",
}


class Reason(NamedTuple):
    """Known words of an error and a hint that follows, or ""; whether the question was too long."""

    words: str = ""
    too_long: bool = False


def reason_in(body: bytes | object, status: int = 0) -> Reason:
    """Return the reason in an error: the bytes of a response, or the decoded value of an event.

    A `code` that only repeats the `status` is left out.
    """
    if isinstance(body, bytes):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return Reason()
    words = list(dict.fromkeys(_words(body, status)))
    plain = {_plain(word.rpartition(" ")[2]) for word in words}
    hints = [hint for causes, hint in _HINTS.items() if plain & causes]
    sizes = _sizes(body)
    return Reason(", ".join([*words, *sizes, *hints]), bool(plain & _plain_words(_TOO_LONG)))


def _words(body: object, status: int) -> Iterator[str]:
    """Yield the known words of an error, with `param` before the name of a parameter."""
    for part in _parts(body):
        for key in ("type", "code"):
            value = part.get(key)
            if isinstance(value, str) and value.isdigit():
                value = int(value[:4])
            if isinstance(value, str) and len(value) <= 64 and _plain(value) in _KNOWN - {"none"}:
                yield value
            elif type(value) is int and 0 < value < 1000 and value != status:
                yield f"code {value}"
        names = (
            [part.get("param"), *part["loc"]] if isinstance(part.get("loc"), list) else [part.get("param")]
        )
        yield from (f"param {name}" for name in names if isinstance(name, str) and name in _PARAMS)


def _parts(body: object) -> Iterator[dict[str, Any]]:
    """Yield the objects of an error that may have words."""
    if not isinstance(body, dict):
        return
    inner = body.get("error", body.get("detail", body))
    for part in (inner if isinstance(inner, list) else [inner])[:3]:
        if isinstance(part, dict):
            yield part


def _sizes(body: object) -> Iterator[str]:
    """Yield the tokens of the question and of the context, if llama.cpp reports both."""
    for part in _parts(body):
        asked, context = part.get("n_prompt_tokens"), part.get("n_ctx")
        if (
            type(asked) is int
            and type(context) is int
            and 0 < asked < MOST_TOKENS
            and 0 < context < MOST_TOKENS
        ):
            yield f"{asked} tokens for a context of {context}"


def names_in(body: bytes) -> list[str]:
    """Return the names of models in an answer of ``/models``; [] without any."""
    with suppress(ValueError, RecursionError, TypeError, KeyError):
        return [one["id"] for one in json.loads(body)["data"] if isinstance(one["id"], str)]
    return []
