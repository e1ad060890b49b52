"""`show --prompts`: what language models were asked in a match, and what they answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.cli.output import say
from arbiter.errors import ConfigError
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord


def print_prompts(record: MatchRecord, seat: Seat | None) -> None:
    """All questions and answers of a match's models, or of the one in a seat; ConfigError without any."""
    kept = {
        place: bot.model
        for place, bot in enumerate(record.bots)
        if bot.model is not None and seat in (None, place)
    }
    if not kept:
        where = "in this match" if seat is None else f"in seat {seat}"
        raise ConfigError(f"{record.id}: no language model played {where}")
    for place, model in kept.items():
        for line in _lines(place, record.players[place], model):
            say(line)


def _lines(seat: Seat, player: str, model: Mapping[str, Any]) -> Iterator[str]:
    what = ", ".join(filter(None, [model["name"], model["date"], model["effort"]]))
    yield f"seat {seat}, {printable(player)}: {printable(what)}, harness {model['harness']}"
    yield f"{model['tokens']} of {model['match_tokens']} tokens in {len(model['calls'])} answers"
    for call in model["calls"]:
        reported = "none reported" if call["reported"] is None else f"{call['reported']} reported"
        cost = f"{call['tokens']} tokens ({reported}), {call['ms']} ms"
        yield f"\ndecision {call['decision']}: {call['outcome']}, {cost}"
        for said in ("lie", "tries"):
            if call.get(said):
                yield printable(f"  {said}: {call[said]}")
        if call["same"]:
            yield f"  {call['same']} message{'s' * (call['same'] != 1)} as before"
        for message in call["messages"]:
            yield f"  {message['role']}:"
            yield from _quoted(message["content"])
        for name in ("thought", "text"):
            if call.get(name):
                yield f"  {'answer' if name == 'text' else 'reasoning'}:"
                yield from _quoted(call[name])
    yield ""


def _quoted(text: str) -> Iterator[str]:
    return (f"    {printable(line)}" for line in text.splitlines())
