"""A season played in parts, each on a machine of its own, and put together afterwards.

Slice i of n plays every n-th table, in all rotations, into a store of its own; `merge` puts the
stores together. The machines are not connected, so a slice plays only rounds that can be planned
without the others' results: the next one and, where nobody can be suspended, all further ones
that are drawn by lot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, StoreError
from arbiter.season.beginning import file_text, refuse_another_name
from arbiter.season.consent import change_error, consent
from arbiter.season.events import PartComplete
from arbiter.season.plan import check_seed
from arbiter.season.rounds import Rounds
from arbiter.season.schedule import matches_of
from arbiter.season.season import Season
from arbiter.season.settings import as_begun, config_at
from arbiter.season.substitutes import number_of_substitutes
from rating.pairing.rules import rule_of_round

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arbiter.config import Config
    from arbiter.executors import Slots
    from arbiter.season.events import Event
    from arbiter.season.plan import RoundPlan
    from arbiter.store import SeasonStore, Store, StoredRound

SLICE = re.compile(r"(\d{1,6})/(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Slice:
    """Part `number` of `parts`, counted from 1."""

    number: int
    parts: int

    @classmethod
    def parse(cls, text: str) -> Slice:
        """``2/5``; ConfigError otherwise."""
        found = SLICE.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise ConfigError(f"not a slice: {text!r}", hint="write 1/5 to 5/5 for five of them")
        return cls(int(found[1]), int(found[2]))

    def has(self, round_number: int, table: int) -> bool:
        """True when a table is this part's; each round's first table goes to another part."""
        return (round_number + table) % self.parts == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"


def open_part(
    config: Config,
    base: SeasonStore | None,
    part: Store,
    accept_changes: bool = False,
) -> Season:
    """The season in a part's store, with the seed that all parts share; the rest as in `Season.open`."""
    there = part.season(config.season)
    if base is None and there is None and config.seed == "auto":
        message = "seed: auto would draw another seed for each slice"
        raise ConfigError(message, str(config.file), "give a seed, or begin the season in one piece")
    for season in (base, there):
        if season is not None:
            check_seed(config, season)
    if there is None:
        if not accept_changes:
            refuse_another_name(config, part)
        there = part.make_season(config.season, config.game.name, base.seed if base else config.seed)
    elif base is not None and there.seed != base.seed:
        raise StoreError(f"{part.name} holds another season of that name: its seed is another")
    there.played_from(file_text(config))
    config = config if base is None else as_begun(config, base)
    return Season(config, there, before=base)


def play_slice(
    part: Season, base: SeasonStore | None, own: Slice, executor: Slots, accept_changes: bool = False
) -> Iterator[Event]:
    """Play a slice's share of the rounds that can be planned now; `base` has the rounds that are complete."""
    part.stored.ask_to_stop(False)
    for plan in slice_plans(part.rounds, base, own, accept_changes):
        played = yield from part.play_plan(plan, executor)
        if played is None:
            return
        yield PartComplete(str(own), plan.stored.number, played)


def slice_plans(
    part: Rounds, base: SeasonStore | None, own: Slice, accept_changes: bool = False
) -> Iterator[RoundPlan]:
    """The plans of a slice's share, round by round; `base` has the rounds that are complete."""
    config, there = part.config, part.stored
    known = {stored.number: stored for stored in there.rounds()}
    before = {stored.number: stored for stored in base.rounds()} if base else {}
    complete = sum(stored.complete for stored in before.values())
    told = max((season.seed_told() or 0 for season in (base, there) if season is not None), default=0) or None
    for number in range(complete + 1, config.rounds + 1):
        planned, accepted = before.get(number), ""
        if number in known:
            pass
        elif base is not None and planned is not None:
            settings = base.settings(planned.digest)
            if settings is None:
                raise change_error(config, base, planned)
            known[number] = there.add_round(number, planned.digest, planned.tables, settings)
        elif number > complete + 1 and not _drawn_ahead(config, number):
            return
        else:
            last = before.get(number - 1) or known.get(number - 1)
            keeper = there if last is None or last.number in known else base or there
            accepted = consent(config, keeper, last, number, told, accept_changes)
            if told is not None and number > told:
                there.tell_seed(config.rounds)
            known[number] = there.add_round(number, config.digest, part.tables(number), config.settings)
        yield replace(part.plan_of(known[number], own.has), accepted=accepted)


def _drawn_ahead(config: Config, number: int) -> bool:
    return (
        not config.suspend_after and rule_of_round(config.pairing, number, config.opening_rounds) == "random"
    )


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Matches added and already there, the number of rounds now complete, and what is missing."""

    added: int
    there: int
    complete: int
    missing: tuple[tuple[int, int, int], ...]
    """(round, matches missing, matches planned) of every round that was begun and is not complete.

    Substitutes are planned for the matches that are there.
    """


def merge(config: Config, target: Store, parts: Sequence[Store]) -> MergeResult:
    """Put the parts of a season into one store, and rate every round that is complete with them.

    The parts and the matches that are stored already stay as they are: merging twice changes nothing.
    A part may be the season itself in another store; its complete rounds are copied as they are. A round is
    rated under the settings that it was begun with. StoreError or ConfigError, before anything is written,
    where parts do not belong together.
    """
    found = [(part, _season_of(config, part)) for part in parts]
    season = _season_of(config, target) if target.season(config.season) else None
    seeds = {there.seed for _, there in found} | ({season.seed} if season else set())
    if len(seeds) > 1:
        raise StoreError(f"the parts of {config.season} have different seeds: they are of different seasons")
    check_seed(config, found[0][1])
    old = {stored.number: stored for stored in season.rounds()} if season else {}
    planned = _plans_by_round(old, found)
    complete = {stored.number: there for _, there in found for stored in there.rounds() if stored.complete}
    seasons = [there for _, there in found] + ([season] if season else [])
    settings = {stored.digest: _settings(config, stored.digest, seasons) for stored in planned.values()}
    for number, stored in planned.items():
        if settings[stored.digest] is None and not stored.complete and number not in complete:
            message = f"round {number} was begun with another config, whose settings are not kept"
            raise ConfigError(message, str(config.file), "merge with the config that the parts had")
    _check_alike([*found, *([(target, season)] if season else [])])
    for part, there in found:
        _refuse_to_drop(part, there)
    if season is None:
        season = target.make_season(config.season, config.game.name, seeds.pop())
    for number in sorted(planned.keys() - old.keys()):
        digest = planned[number].digest
        programs = _programs_of_parts((there for _, there in found), number)
        season.add_round(
            number,
            digest,
            planned[number].tables,
            settings[digest] or {},
            programs=programs,
            planned_at=planned[number].planned,
        )
    if told := max(there.seed_told() or 0 for _, there in found):
        season.tell_seed(told)
    added = [season.add_packed(match) for _, part in found for match in part.packed_matches()]
    return MergeResult(sum(added), len(added) - sum(added), *_rate(config, season, complete))


def _settings(config: Config, digest: str, seasons: Iterable[SeasonStore]) -> Mapping[str, Any] | None:
    """The settings of a digest; None if nobody has kept them."""
    if digest == config.digest:
        return config.settings
    return next((kept for season in seasons if (kept := season.settings(digest))), None)


def _check_alike(found: Sequence[tuple[Store, SeasonStore]]) -> None:
    """StoreError where two stores have different matches of one id: which counts is not ours to say."""
    seen: dict[str, tuple[bytes, str]] = {}
    for store, season in found:
        for match in season.packed_matches():
            content = sha256(match.record).digest()
            known, place = seen.setdefault(match.summary.id, (content, store.name))
            if known != content:
                raise StoreError(
                    f"match {match.summary.id} was played twice, in {place} and in {store.name}:"
                    " leave one of them out"
                )


def _refuse_to_drop(part: Store, season: SeasonStore) -> None:
    """StoreError where a part holds more than rounds and matches: nothing else of it is taken over."""
    more = {
        "authors": season.authors.all(),
        "submissions": season.submissions.counts(),
        "orders": season.orders.read().given,
    }
    if told := ", ".join(what for what, there in more.items() if there):
        raise StoreError(
            f"{part.name} holds {told}, which a merge would leave out: arbiter restore moves a season whole"
        )


def _plans_by_round(
    old: Mapping[int, StoredRound], found: Sequence[tuple[Store, SeasonStore]]
) -> dict[int, StoredRound]:
    """All rounds by number; StoreError where they do not belong together."""
    planned = dict(old)
    for part, there in found:
        for stored in there.rounds():
            known = planned.setdefault(stored.number, stored)
            if (known.digest, known.tables) != (stored.digest, stored.tables):
                raise StoreError(
                    f"{part.name} has another plan of round {stored.number} than the others have"
                )
    for number in range(1, max(planned, default=0)):
        if number not in planned:
            raise StoreError(f"round {number} is in none of these stores: merge into the one that has it")
    return planned


def _programs_of_parts(parts: Iterable[SeasonStore], number: int) -> dict[str, dict[str, str | None]] | None:
    """What a round was played with; None for a file that was not the same in all parts, or if none knows."""
    known = [programs for part in parts if (programs := part.programs().get(number)) is not None]
    merged: dict[str, dict[str, str | None]] = {}
    for player, file, digest in (
        (player, file, digest)
        for programs in known
        for player, files in programs.items()
        for file, digest in files.items()
    ):
        mine = merged.setdefault(player, {})
        mine[file] = digest if mine.setdefault(file, digest) == digest else None
    return merged if known else None


def _season_of(config: Config, part: Store) -> SeasonStore:
    found = part.season(config.season)
    if found is None or found.game != config.game.name:
        raise StoreError(f"{part.name} holds no season {config.season} of {config.game.name}")
    return found


def _rate(
    config: Config, season: SeasonStore, rated: Mapping[int, SeasonStore]
) -> tuple[int, tuple[tuple[int, int, int], ...]]:
    """Complete every round that has all its matches and all rounds before it.

    `rated` are seasons that have standings after a round; those of another config stay as they are.
    """
    whole = Rounds(config, season)
    complete, missing = 0, []
    for stored in season.rounds():
        number = stored.number
        substitutes = number_of_substitutes(config_at(whole.config, season, number), season, number)
        total = matches_of(config.game, stored.tables) + substitutes
        lacking = total - len(season.match_ids(number))
        if lacking:
            missing.append((number, lacking, total))
        elif not missing:
            complete += 1
            if stored.complete:
                continue
            elsewhere = number in rated and stored.digest != config.digest
            kept = rated[number].standings(number) if elsewhere else None
            if kept is not None:
                season.complete_round(number, kept)
            else:
                whole.finish(number)
    return complete, tuple(missing)
