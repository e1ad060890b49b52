"""Every player walked through the steps of `check-bot` before its first round, under the season's own terms.

A step that no match of the season comes to (an unknown command, a blank line, batches that are not sent) is
advice: only a failure that would be a fault there suspends a player. What was tried is kept in the log of
orders with a digest of the player's entry and files, so that each program is tried once, whatever interrupts
the season, and again when it was mended.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, VoidMatch
from arbiter.season.administration import LONGEST_REASON, give_orders
from arbiter.season.order_effects import effective_orders
from arbiter.season.program_digests import programs_of
from arbiter.season.round_plan import draw_seed
from arbiter.store import OrderKind
from arbiter.trials.botcheck import check_in_worker, is_required

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from arbiter.match.spec import Limits, Player
    from arbiter.season.config import Config, Entry
    from arbiter.season.order_effects import EffectiveOrders
    from arbiter.season.results import SeasonResults
    from arbiter.store import SeasonStore
    from arbiter.trials.botcheck import Step

AT_ONCE = 2
"""Players tried at once."""


@dataclass(frozen=True, slots=True)
class Qualification:
    """The result of a player's steps: the first one that it must not fail, and the first of the others."""

    player: str
    steps: tuple[Step, ...]
    failed: Step | None
    advice: Step | None

    def text(self) -> str:
        """``ok NAME``, or ``FAIL NAME: step: why; fix: ...``."""
        if self.failed is not None:
            return f"FAIL {self.player}: {_words(self.failed)}"
        return f"ok {self.player}" + (f" (advice: {_words(self.advice)})" if self.advice else "")

    @property
    def reason(self) -> str:
        """The reason of the suspension, "" for none; what the player wrote, and the fix, are its author's."""
        if self.failed is None:
            return ""
        parts = filter(None, ("failed qualification", self.failed.name, self.failed.public))
        return " ".join(": ".join(parts).split())[:LONGEST_REASON]

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return {
            "player": self.player,
            "ok": self.failed is None,
            "failed": None if self.failed is None else self.failed.name,
            "steps": [step.to_json() for step in self.steps],
        }


def _words(step: Step) -> str:
    return " ".join("; fix: ".join(filter(None, [f"{step.name}: {step.detail}", step.fix])).split())


def try_players(config: Config, entries: Iterable[Entry], executor: Executor) -> Iterator[Qualification]:
    """Try players, two at a time, in their order; VoidMatch with a name if our machine failed."""
    waiting = iter(entries)
    running: list[tuple[Entry, Future[list[Step]]]] = []
    while True:
        for entry in islice(waiting, AT_ONCE - len(running)):
            terms = config.game.name, config.game.options, entry.player, config.limits
            running.append((entry, executor.submit(check_in_worker, *terms, draw_seed("auto"))))
        if not running:
            return
        entry, future = running.pop(0)
        try:
            steps = future.result()
        except VoidMatch as void:
            raise VoidMatch(f"{entry.player.name} could not be tried: {void}") from None
        yield judged(entry.player, config.limits, steps)


def judged(player: Player, limits: Limits, steps: Sequence[Step]) -> Qualification:
    """The verdict on steps under a season's limits."""
    failed = [step for step in steps if step.ok is False]
    must = next((step for step in failed if is_required(step.name, player, limits)), None)
    advice = next((step for step in failed if not is_required(step.name, player, limits)), None)
    return Qualification(player.name, tuple(steps), must, advice)


def chosen(config: Config, names: Sequence[str]) -> list[Entry]:
    """The entries of players by rated or registered name, all where none is named; ConfigError if unknown."""
    found = []
    for name in names:
        for entry in config.called(name):
            if (what := config.gone.get(entry.player.name)) is not None:
                raise ConfigError(f"{entry.player.name} is suspended, and cannot be tried: {what}")
            found += [entry] if entry not in found else []
    known = (entry for entry in config.entries if entry.player.name not in config.gone)
    # A model answers in matches alone.
    return found or [entry for entry in known if entry.player.model is None]


def untried(season: SeasonResults) -> list[Entry]:
    """Return the players whose present entry and files were never tried; nobody without `qualify: true`."""
    return _untried(season.config, season.stored)


def _untried(config: Config, stored: SeasonStore) -> list[Entry]:
    if not config.qualify:
        return []
    tried = effective_orders(stored.orders.read().given).tried
    return [
        entry
        for entry, digest in _digests(config)
        if not entry.is_sent
        and entry.player.model is None
        and digest not in tried.get(entry.registered_name, ())
        and entry.player.name not in config.gone
    ]


def ways_back(config: Config, stored: SeasonStore, passed: Collection[str]) -> Iterator[str]:
    """A line for each player that passed by now, by rated name, and is suspended since it failed before."""
    suspended = effective_orders(stored.orders.read().given).suspended
    untried = _untried(config, stored)
    for entry in config.entries:
        known = suspended.get(entry.registered_name)
        if entry.player.name not in passed or known is None or known.verb is not OrderKind.FAILED:
            continue
        way = shlex.join(["arbiter", "reinstate", str(config.file), entry.registered_name])
        if entry in untried and _is_alone(config, entry.registered_name):
            way = f"the next run, or {way},"
        yield f"{entry.player.name} is suspended since it failed before: {way} brings it back"


def qualify(season: SeasonResults, executor: Executor) -> Iterator[Qualification]:
    """Try whom nobody tried: who fails is suspended, who failed before and passes now is reinstated."""
    digests = {entry.player.name: (entry, digest) for entry, digest in _digests(season.config)}
    for verdict in try_players(season.config, untried(season), executor):
        entry, digest = digests[verdict.player]
        _keep(season, entry.registered_name, digest, verdict)
        yield verdict


def _keep(season: SeasonResults, name: str, digest: str, verdict: Qualification) -> None:
    alone = _is_alone(season.config, name)

    def orders(now: EffectiveOrders) -> Iterator[tuple[OrderKind, str, str]]:
        known = now.suspended.get(name)
        ours = known is not None and known.verb is OrderKind.FAILED
        if verdict.failed is not None and (known is None or (ours and known.because != verdict.reason)):
            yield OrderKind.FAILED, name, verdict.reason
        elif verdict.failed is None and ours and alone:
            yield OrderKind.REINSTATE, name, ""
        yield OrderKind.TRIED, name, digest

    give_orders(season, orders)


def _is_alone(config: Config, name: str) -> bool:
    """False for a player of several versions: they are suspended together, and one frees none that failed."""
    return sum(entry.registered_name == name for entry in config.entries) == 1


def _digests(config: Config) -> list[tuple[Entry, str]]:
    """Each player with the SHA-256 of its entry and of the files that its command names."""
    programs = programs_of((entry.player for entry in config.entries), config.file)
    digests = []
    for entry, written in zip(config.entries, config.settings["players"], strict=True):
        text = json.dumps([written, programs[entry.player.name]], sort_keys=True)
        digests.append((entry, sha256(text.encode()).hexdigest()))
    return digests
