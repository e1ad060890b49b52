"""One question to each language model of a season, for `check-config --ask`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.cli.output import say
from arbiter.errors import ConfigError
from arbiter.match.token_usage import BilledTokens
from arbiter.season.config.settings_diff import price_of
from arbiter.season.cost_budget import cost
from arbiter.table.llm.trial_question import ask_one_decision
from arbiter.text import counted, money, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.config import Config

MOST_NAMES = 5
LONGEST_LINE = 100


def ask_models(config: Config) -> list[dict[str, Any]]:
    """Ask each language model of a season for one decision; ConfigError without any model."""
    models = [(one.player.name, one.player.model) for one in config.entries if one.player.model is not None]
    if not models:
        raise ConfigError("--ask: no player of this season is a language model")
    found = []
    for name, entry in models:
        trial = ask_one_decision(entry, config.game)
        calls, price = trial.calls, price_of(config.prices, name)
        tokens = BilledTokens(*(sum(call[key] for call in calls) for key in ("asked", "tokens")))
        found.append(
            {
                "player": name,
                "model": entry.name,
                "reply": trial.reply if not trial.outage else None,
                "text": calls[-1]["text"] if calls else None,
                "served_as": calls[-1]["model"] if calls else None,
                "attempts": len(calls),
                "tries": [failed for call in calls for failed in call.get("tries", ())],
                "input": tokens.input,
                "output": tokens.output,
                "cost": None if price is None else cost(tokens, price),
                "currency": config.currency,
                "seconds": sum(call["ms"] for call in calls) / 1000,
                "heeds": dict(trial.heeds),
                "outage": trial.outage,
                "listed": trial.listed[:MOST_NAMES],
            }
        )
    return found


def print_asked_model(model: Mapping[str, Any]) -> None:
    """Print what came of the question to a model."""
    who = f"{model['player']}, {model['model']}"
    if model["outage"]:
        say(f"{who}: no answer: {model['outage']}")
        if model["listed"]:
            say(f"  its endpoint lists: {_line(', '.join(model['listed']))}")
        return
    paid = "" if model["cost"] is None else f", {money(model['cost'], model['cost'], model['currency'])}"
    used = f"{model['input']:,} tokens in, {model['output']:,} out{paid}, {model['seconds']:.1f} s"
    say(f"{who}: {_line(model['reply'])} after {counted(model['attempts'], 'attempt')}: {used}")
    say(f"  last answer: {_line(model['text'])}")
    if model["served_as"] != model["model"]:
        say(f"  its endpoint calls it {_line(model['served_as']) or 'nothing'}")
    for failed in model["tries"]:
        say(f"  failed first: {failed}")
    say(f"  settings heeded: {', '.join(f'{name}: {effect}' for name, effect in model['heeds'].items())}")


def _line(text: str) -> str:
    """Return a provider's text as one bounded line."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..."
