"""The models of one match: their gateways, and seats that separate a model's faults from its provider's.

The harness answers like any bot. If it refuses, the gateway knows why; if the provider has failed, the
match is void, for any reply of the harness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from arbiter.errors import MalformedReply, ProviderOutage, VoidMatch
from arbiter.match.exchange import Reply
from arbiter.match.token_usage import NOTHING, BilledTokens
from arbiter.table.llm.prompt_forms import digest_of_rules, form_of, identity_of, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.exchange import SeatChannel, Send
    from arbiter.match.spec import MatchSpec
    from arbiter.table.channel import Channel
    from arbiter.table.llm.gateway import Gateway


class Models:
    """The gateways of a match, open while it is played; ProviderOutage if a key is missing, VoidMatch."""

    def __init__(self, game: AnyGame, spec: MatchSpec, seats: Sequence[Seat]) -> None:
        self._spec = spec
        self._game = game
        self._gateways: dict[Seat, Gateway] = {}
        self._forms: dict[Seat, dict[str, Any]] = {}
        for seat in seats:
            if (entry := spec.players[seat].model) is not None:
                # It loads an HTTP client, which costs each worker a tenth of its start.
                from arbiter.table.llm.gateway import Gateway

                self._forms[seat] = form_of(game, spec.id, seat, entry)
                hello = {
                    "game": game.name,
                    "options": game.options,
                    "seat": seat,
                    "rules": rules_of(game),
                    "form": self._forms[seat],
                }
                try:
                    self._gateways[seat] = Gateway(entry, hello)
                except VoidMatch:
                    self.__exit__()
                    raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for gateway in self._gateways.values():
            gateway.end()

    @property
    def harness_sockets(self) -> list[int]:
        """The harnesses' ends of the sockets, in the order of the models' seats."""
        return [gateway.far.fileno() for gateway in self._gateways.values()]

    def away_clock_of(self, seat: Seat) -> Callable[[], int]:
        """Return a function: for how long a seat has waited for its provider, in ns; 0 for other bots."""
        return self._gateways[seat].away_ns if seat in self._gateways else int

    def start_seats(self, channels: Mapping[Seat, Channel]) -> dict[Seat, SeatChannel]:
        """Start the gateways, after the harnesses. Return the seats for the referee."""
        for gateway in self._gateways.values():
            gateway.start()
        return {
            seat: ModelSeat(self._spec.players[seat].name, channel, self._gateways[seat])
            if seat in self._gateways
            else channel
            for seat, channel in channels.items()
        }

    def notes(self, seat: Seat) -> list[str]:
        """Return the notes for a record on a seat's model and its provider; [] for other bots."""
        entry = self._spec.players[seat].model
        if entry is None:
            return []
        calls = self._gateways[seat].calls
        lies = sum("lie" in call for call in calls)
        wrong = f"in {lies} of {len(calls)} answers the reported tokens are fewer than the pieces of text, or"
        wrong += " more than allowed: the pieces, or the allowed tokens, are counted"
        return [f"a language model: {identity_of(entry)}", *[wrong] * bool(lies)]

    def billed(self) -> dict[str, BilledTokens]:
        """Return the tokens used so far by player, without players that used none."""
        found: dict[str, BilledTokens] = {}
        for seat, gateway in self._gateways.items():
            output = sum(call["tokens"] for call in gateway.calls) + gateway.broken_off
            if gateway.asked or output:
                name = self._spec.players[seat].name
                found[name] = found.get(name, NOTHING).plus(BilledTokens(gateway.asked, output))
        return found

    def unanswered(self) -> dict[str, Any]:
        """Return the model without an answer as in a record, its question whole; {} if all have answered."""
        for seat, gateway in self._gateways.items():
            if (call := gateway.unanswered) is not None:
                part = self.record_part(seat) or {}
                return {**part, "seat": seat, "player": self._spec.players[seat].name, "calls": [call]}
        return {}

    def record_part(self, seat: Seat) -> dict[str, Any] | None:
        """Return a model's part of the record, None for other bots."""
        entry = self._spec.players[seat].model
        if entry is None:
            return None
        gateway = self._gateways[seat]
        return {
            "name": entry.name,
            "date": entry.date,
            "effort": entry.effort,
            "harness": entry.harness,
            "form": self._forms[seat],
            "rules": digest_of_rules(self._game),
            "attempts": entry.attempts,
            "match_tokens": entry.match_tokens,
            "move_tokens": entry.move_tokens,
            "tokens": sum(call["tokens"] for call in gateway.calls),
            "broken_off": gateway.broken_off,
            "asked": gateway.asked,
            "calls": gateway.calls,
        }


class ModelSeat:
    """A seat whose bot asks a model."""

    def __init__(self, player: str, channel: Channel, gateway: Gateway) -> None:
        self._player, self._channel, self._gateway = player, channel, gateway

    def exchange(self, send: Send) -> Reply | int:
        """Exchange with the harness; ProviderOutage if the provider failed meanwhile."""
        gateway = self._gateway
        if send.asks:
            gateway.open()
        reply = self._channel.exchange(send)
        if not isinstance(reply, Reply) or not send.asks:
            return reply
        gateway.close_decision()
        if gateway.outage:
            raise ProviderOutage(f"the provider of player {self._player}, {gateway.outage}")
        refuses = reply.fault is None and not reply.answer.accepted
        if refuses and (fault := gateway.fault()) is not None:
            return reply._replace(fault=MalformedReply(*fault, reply.answer.raw))
        return reply
