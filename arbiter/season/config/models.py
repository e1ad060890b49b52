"""The keys of language models: endpoint, name, prompt and limits.

- name: thinker
  model: {endpoint: https://llm.example.org/v1, name: large-2, key_env: LLM_KEY, effort: high}
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt

import arbiter
from arbiter.errors import ConfigError, Problem
from arbiter.games.samples import HARNESS as HARNESS_FILE
from arbiter.match.clock import SECOND, parse_duration
from arbiter.match.spec import ModelEntry
from arbiter.season.config.value_types import Word, checked, with_unit
from arbiter.table.llm import HARNESS
from arbiter.table.llm.prompts import has_suits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arbiter.games.game import AnyGame

PACKAGE = Path(arbiter.__file__).parent
"""The package that the harness imports; it needs only the standard library."""
USUAL_ATTEMPTS = 2
MOST_ATTEMPTS = 10
MOST_TOKENS = 100_000_000
MOST_PRICE = 1_000_000
LOCAL = frozenset({"127.0.0.1", "::1", "localhost"})
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Tokens: TypeAlias = dict[Literal["match", "move"], Annotated[StrictInt, Field(gt=0, le=MOST_TOKENS)]]
Price: TypeAlias = Annotated[StrictInt | StrictFloat, Field(ge=0, le=MOST_PRICE, allow_inf_nan=False)]
Attempts: TypeAlias = Annotated[StrictInt, Field(gt=0, le=MOST_ATTEMPTS)]


def harness_command() -> list[str]:
    """Return the command that starts the harness."""
    # Not a virtual environment's interpreter: it needs only the standard library.
    return [os.path.realpath(sys.executable), "-I", "-S", str(HARNESS_FILE), str(PACKAGE)]


def _check_endpoint(text: str) -> None:
    """Raise ConfigError unless it is an http(s) URL in printable ASCII without user, query or fragment."""
    try:
        url = urlsplit(text)
        is_address = url.scheme in ("http", "https") and url.hostname and (url.port is None or url.port)
    except ValueError:
        is_address = False
    if not is_address or url.query or url.fragment or not text.isascii() or not text.isprintable():
        hint = "write https://llm.example.org/v1, to which /chat/completions is added"
        raise ConfigError(f"not an endpoint: {text!r}", hint=hint)
    if url.username is not None or url.password is not None:
        # Without the text, which has a password.
        raise ConfigError("an endpoint has no user or password", hint="name the key's variable in key_env")


def _check_variable(text: str) -> None:
    """Raise ConfigError, without the text, unless it is a variable's name: ASCII letters, digits and _."""
    if not _VARIABLE.fullmatch(text):
        # It may be the key itself.
        raise ConfigError(
            "not the name of an environment variable", hint="write LLM_KEY, never the key itself"
        )


def _check_deadline(text: str) -> None:
    """Raise ConfigError unless it is a duration of 1 s to 1 h."""
    if not SECOND <= parse_duration(text) <= 3600 * SECOND:
        raise ConfigError(f"not a deadline: {text!r}", hint="write 300s; at least 1s, at most 1h")


class PromptKeys(BaseModel):
    """How a model is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    state: Literal["whole", "conversation"] = "whole"
    legal: StrictBool = False
    names: Literal["plain", "exchanged"] = "plain"


class ModelKeys(BaseModel):
    """The key ``model`` of a player."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    endpoint: Annotated[str, checked(_check_endpoint, "endpoint")]
    name: Word
    key_env: Annotated[str, checked(_check_variable, "variable")] | None = None
    date: Word | None = None
    effort: Word | None = None
    prompt: PromptKeys = PromptKeys()
    deadline: Annotated[str, with_unit("{}s".format), checked(_check_deadline, "time")] = "300s"
    harness: StrictInt = HARNESS


class PriceKeys(BaseModel):
    """The prices of a million tokens: input, and output with reasoning."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: Price
    output: Price


Prices: TypeAlias = dict[Word, PriceKeys]


def problems_of_models(models: Iterable[ModelKeys | None], game: AnyGame, to_play: bool) -> Iterator[Problem]:
    """Yield problems of models: foreign game, no suits to exchange, other harness, key sent over http.

    If they are `to_play`, their API keys must be set, too. `models` are by player, None for a program.
    """
    for number, keys in enumerate(models):
        if keys is None:
            continue
        at = ("players", number, "model")
        url = urlsplit(keys.endpoint)
        if not type(game).__module__.startswith("arbiter."):
            yield Problem(at, f"models play only the games of this package, not {game.name}")
        if keys.prompt.names == "exchanged" and not has_suits(game):
            hint = "write names: plain"
            yield Problem((*at, "prompt", "names"), f"{game.name} has no suits to exchange", hint)
        if keys.harness != HARNESS:
            hint = f"write harness: {HARNESS}, and another version of the player"
            yield Problem((*at, "harness"), f"this version has harness {HARNESS}", hint)
        if keys.key_env and url.scheme == "http" and url.hostname not in LOCAL:
            yield Problem((*at, "endpoint"), "a key would be sent in the clear", "write https://")
        if to_play and keys.key_env:
            from arbiter.table.llm.gateway import read_key

            try:
                read_key(keys.key_env)
            except ConfigError as error:
                yield Problem((*at, "key_env"), error.problems[0].message, error.problems[0].hint)


def model_entry(keys: ModelKeys, tokens: Mapping[Any, int], attempts: int) -> ModelEntry:
    """Return a model with its season's limits of tokens and attempts; absent ones are the usual."""
    usual = ModelEntry(keys.endpoint, keys.name)
    return ModelEntry(
        endpoint=keys.endpoint,
        name=keys.name,
        key_env=keys.key_env or "",
        date=keys.date or "",
        effort=keys.effort or "",
        state=keys.prompt.state,
        legal=keys.prompt.legal,
        names=keys.prompt.names,
        harness=keys.harness,
        attempts=attempts,
        match_tokens=tokens.get("match", usual.match_tokens),
        move_tokens=tokens.get("move", usual.move_tokens),
        deadline_s=parse_duration(keys.deadline) / SECOND,
    )
