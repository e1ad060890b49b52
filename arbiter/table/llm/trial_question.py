"""One decision asked of a model before a round, and which settings of a request its endpoint heeds.

The decision is the first one of a random match, asked as in a match: by harness and gateway.
Endpoints ignore unknown settings with status 200, so short questions find out which have an effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.match.in_memory import Said, match_spec, play_by_policy, random_policy
from arbiter.table.llm.gateway import Gateway, key_of
from arbiter.table.llm.harness import Harness
from arbiter.table.llm.prompt_forms import form_of, rules_of
from arbiter.table.llm.prompts import PromptForm
from arbiter.table.llm.provider import Provider, ProviderFailure, Streamed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import ModelEntry

SHORT = 16
"""The most tokens of a short answer."""
_SHORT = [{"role": "user", "content": "Write a sentence about the sea."}]
_SCHEMA = {"name": "card", "strict": True, "schema": {"type": "string", "enum": ["TD"]}}


class AskedModel(NamedTuple):
    """What came of a question; `reply` is the harness's: ``= TD``, or ``?`` with the reason.

    `calls` are as in a record, with all tries. If no answer came, `outage` is the reason, and `listed` has
    the names of models that the endpoint lists, unchecked. `heeds` has the effect of each setting.
    """

    reply: str
    calls: list[dict[str, Any]]
    outage: str
    listed: list[str]
    heeds: Mapping[str, str]


def ask_one_decision(entry: ModelEntry, game: AnyGame) -> AskedModel:
    """Ask a model for the first decision of a random match of this game; ProviderOutage without its key."""
    said: list[Said] = []
    spec = match_spec(game, seed="ask")
    play_by_policy(game, random_policy("ask"), spec, transcript=said)
    first = next(number for number, one in enumerate(said) if one.command.startswith("gen_"))
    seat = said[first].seat
    gateway, provider = Gateway(entry, {}), Provider(entry, key_of(entry))
    try:
        form = PromptForm(**form_of(game, spec.id, seat, entry))
        harness = Harness(game, seat, rules_of(game), form, lambda messages: gateway.answer([*messages]))
        gateway.open()
        harness.left = {"move": entry.move_tokens, "match": entry.match_tokens, "attempts": entry.attempts}
        replies = [harness.reply(one.command) for one in said[: first + 1] if one.seat == seat]
    finally:
        gateway.end()
    outage = gateway.outage
    listed = provider.names(min(10, entry.deadline_s)) if outage else []
    heeds = {} if outage else dict(_heeded(provider, entry, gateway.calls))
    return AskedModel(replies[-1], gateway.calls, outage, listed, heeds)


def _heeded(provider: Provider, entry: ModelEntry, calls: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the settings of a request, each with its effect: "yes", "ignored", or the reason of a refusal."""

    def ask(allowed: int = SHORT, **more: Any) -> Streamed:
        return provider.ask(_SHORT, allowed, entry.deadline_s, more)

    def effect_of(name: str, more: dict[str, Any], expected: str) -> tuple[str, str]:
        """Heeded if the answer is as `expected`, or else has none of the letters that `stop` forbids."""
        try:
            text = ask(**more).text.strip()
        except ProviderFailure as failure:
            return name, str(failure)
        heeded = text == expected if expected else not set("aeio") & set(text)
        return name, "yes" if heeded else "ignored"

    try:
        yield "usage", "yes" if calls[-1]["reported"] is not None else "ignored: tokens are estimated"
        yield "limit of tokens", "yes" if ask(4).pieces <= 4 else "ignored: long answers are cut off here"
        drawn = [ask(temperature=1, seed=seed).text for seed in (1, 1, 2)]
        yield "seed", "yes" if drawn[0] == drawn[1] != drawn[2] else "ignored"
    except ProviderFailure as failure:
        yield "short questions", str(failure)
        return
    yield effect_of("stop", {"stop": ["a", "e", "i", "o"]}, "")
    yield effect_of("schema", {"response_format": {"type": "json_schema", "json_schema": _SCHEMA}}, '"TD"')
    if entry.effort:
        # No effect can be seen of a known one.
        try:
            ask(reasoning_effort="none-such")
            yield "effort", "unknown ones are ignored"
        except ProviderFailure:
            yield "effort", "yes"
