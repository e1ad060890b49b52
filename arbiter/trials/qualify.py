"""Check every player by the steps of `check-bot` before its first round, under the season's limits.

A step about what no match of the season contains (an unknown command, a blank line, batches that are not
sent) is advice: a player is suspended only for a failure that would be a fault in a match. Each check is
kept in the log of orders with a digest of the player's entry and files, so that a program is checked once,
even if the season is interrupted, and again after it was changed.
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
"""Players checked at once."""


@dataclass(frozen=True, slots=True)
class Qualification:
    """The result of a player's steps: the first failed required step, and the first other failed step."""

    player: str
    steps: tuple[Step, ...]
    failed: Step | None
    advice: Step | None

    def text(self) -> str:
        """``ok NAME``, or ``FAIL NAME: step: why; fix: ...``."""
        if self.failed is not None:
            return f"FAIL {self.player}: {_step_line(self.failed)}"
        return f"ok {self.player}" + (f" (advice: {_step_line(self.advice)})" if self.advice else "")

    @property
    def reason(self) -> str:
        """The public reason of the suspension, "" for none; output and fix are for the author alone."""
        if self.failed is None:
            return ""
        parts = filter(None, ("failed qualification", self.failed.name, self.failed.public))
        return " ".join(": ".join(parts).split())[:LONGEST_REASON]

    def to_json(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "ok": self.failed is None,
            "failed": None if self.failed is None else self.failed.name,
            "steps": [step.to_json() for step in self.steps],
        }


def _step_line(step: Step) -> str:
    return " ".join("; fix: ".join(filter(None, [f"{step.name}: {step.detail}", step.fix])).split())


def check_players(config: Config, entries: Iterable[Entry], executor: Executor) -> Iterator[Qualification]:
    """Check players, two at a time, in order; VoidMatch names the player if our machine failed."""
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
            raise VoidMatch(f"{entry.player.name} could not be checked: {void}") from None
        yield judge_steps(entry.player, config.limits, steps)


def judge_steps(player: Player, limits: Limits, steps: Sequence[Step]) -> Qualification:
    """Return the verdict: the first failed step that is required fails, the first other one is advice."""
    failed = [step for step in steps if step.ok is False]
    must = next((step for step in failed if is_required(step.name, player, limits)), None)
    advice = next((step for step in failed if not is_required(step.name, player, limits)), None)
    return Qualification(player.name, tuple(steps), must, advice)


def find_entries(config: Config, names: Sequence[str]) -> list[Entry]:
    """Return the entries of players by rated or registered name, by default all; ConfigError if unknown."""
    found = []
    for name in names:
        for entry in config.called(name):
            if (what := config.gone.get(entry.player.name)) is not None:
                raise ConfigError(f"{entry.player.name} is suspended and cannot be checked: {what}")
            found += [entry] if entry not in found else []
    known = (entry for entry in config.entries if entry.player.name not in config.gone)
    # A model answers only in matches.
    return found or [entry for entry in known if entry.player.model is None]


def unchecked_entries(season: SeasonResults) -> list[Entry]:
    """Read orders and files: the players never checked as they are now; none without `qualify: true`."""
    return _unchecked_entries(season.config, season.stored)


def _unchecked_entries(config: Config, stored: SeasonStore) -> list[Entry]:
    """See `unchecked_entries`: without programs sent to the site, models, and players that are gone."""
    if not config.qualify:
        return []
    tried = effective_orders(stored.orders.read().given).tried
    return [
        entry
        for entry, digest in _entry_digests(config)
        if not entry.is_sent
        and entry.player.model is None
        and digest not in tried.get(entry.registered_name, ())
        and entry.player.name not in config.gone
    ]


def reinstatement_hints(config: Config, stored: SeasonStore, passed: Collection[str]) -> Iterator[str]:
    """Read the orders; yield a line for each of `passed`, by rated name, suspended for an earlier failure."""
    suspended = effective_orders(stored.orders.read().given).suspended
    untried = _unchecked_entries(config, stored)
    for entry in config.entries:
        known = suspended.get(entry.registered_name)
        if entry.player.name not in passed or known is None or known.verb is not OrderKind.FAILED:
            continue
        way = shlex.join(["arbiter", "reinstate", str(config.file), entry.registered_name])
        if entry in untried and _is_alone(config, entry.registered_name):
            way = f"the next run, or {way},"
        yield f"{entry.player.name} is suspended because it failed before: {way} reinstates it"


def qualify(season: SeasonResults, executor: Executor) -> Iterator[Qualification]:
    """Check unchecked players; store the orders that suspend for failures, or reinstate for success."""
    digests = {entry.player.name: (entry, digest) for entry, digest in _entry_digests(season.config)}
    for verdict in check_players(season.config, unchecked_entries(season), executor):
        entry, digest = digests[verdict.player]
        _store_orders(season, entry.registered_name, digest, verdict)
        yield verdict


def _store_orders(season: SeasonResults, name: str, digest: str, verdict: Qualification) -> None:
    """Store that a player was checked; suspend it for a failure, else lift a suspension by a check."""
    alone = _is_alone(season.config, name)

    def orders(now: EffectiveOrders) -> Iterator[tuple[OrderKind, str, str]]:
        """Yield the orders to store, given those in force."""
        known = now.suspended.get(name)
        ours = known is not None and known.verb is OrderKind.FAILED
        if verdict.failed is not None and (known is None or (ours and known.because != verdict.reason)):
            yield OrderKind.FAILED, name, verdict.reason
        elif verdict.failed is None and ours and alone:
            yield OrderKind.REINSTATE, name, ""
        yield OrderKind.TRIED, name, digest

    give_orders(season, orders)


def _is_alone(config: Config, name: str) -> bool:
    """True if the name has one version: several are suspended together; one that passes frees no other."""
    return sum(entry.registered_name == name for entry in config.entries) == 1


def _entry_digests(config: Config) -> list[tuple[Entry, str]]:
    """Read the players' files; return each entry with the SHA-256 of itself and of its command's files."""
    programs = programs_of((entry.player for entry in config.entries), config.file)
    digests = []
    for entry, written in zip(config.entries, config.settings["players"], strict=True):
        text = json.dumps([written, programs[entry.player.name]], sort_keys=True)
        digests.append((entry, sha256(text.encode()).hexdigest()))
    return digests
