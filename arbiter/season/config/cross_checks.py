"""Mistakes in a season's file that involve several keys, and missing files that it names."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from arbiter.errors import ConfigError, Problem, did_you_mean
from arbiter.games.cards import LEAST_BITS, seed_bits
from arbiter.season.config.keys import SeasonModel, VersionModel
from arbiter.season.config.programs import faults_of_version
from arbiter.season.config.settings_diff import price_of, rated_name
from arbiter.season.config.value_types import COMMITMENT, parse_until
from arbiter.season.config.webhook_settings import read_secret
from arbiter.store.address import file_of, is_persistent, missing_folder, resolve_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arbiter.games.game import AnyGame
    from arbiter.season.config.programs import Languages

GUESSABLE_BITS = 128
"""A seed with fewer bits can be guessed."""


def cross_checks(value: Mapping[str, Any], game: AnyGame | None, to_play: bool) -> Iterable[Problem]:
    """Yield mistakes between keys: names, seed, times, requests, webhooks, reviewer, anchors, house bots.

    They are found in the unchecked file, so that all are reported at once. Tables that cannot be filled are a
    mistake only if the season is `to_play`.
    """
    entries = value.get("players")
    players = [p if isinstance(p, dict) else {} for p in entries] if isinstance(entries, list) else []
    seen: set[str] = set()
    taken: set[str] = set()
    for number, player in enumerate(players):
        name, version = player.get("name"), player.get("version")
        if not isinstance(name, str):
            continue
        seen.add(name)
        rated = rated_name(name, version)
        if rated in taken:
            yield Problem(("players", number, "name"), f"{rated!r} is taken by an earlier player")
        taken.add(rated)
    yield from _commitment_problems(value.get("seed", "auto"), value.get("seed_commitment"))
    if to_play and isinstance(value.get("submissions"), dict) and value.get("weak_seed") is not True:
        yield from _weak_seed_problems(value.get("seed", "auto"))
    yield from _calendar_problems(value.get("opens"), value.get("until"))
    if value.get("missed") == "skip" and value.get("every") is None:
        yield Problem(
            ("missed",), "only moments of `every` can be missed", "write `every` beside it, such as 24h"
        )
    if isinstance(value.get("requests"), dict) and not isinstance(value.get("submissions"), dict):
        what = "requests need submissions: only authors of programs ask for matches"
        yield Problem(("requests",), what, "add submissions: {} for the default terms")
    yield from _webhook_problems(value.get("webhooks"))
    reviewer = value.get("review_by")
    if isinstance(reviewer, str) and reviewer not in seen | taken:
        hint = did_you_mean(reviewer, sorted(seen))
        yield Problem(("review_by",), f"{reviewer!r} is not in players", hint)
    anchors = value.get("anchors")
    for name in anchors if isinstance(anchors, dict) else {}:
        if isinstance(name, str) and name not in taken:
            hint = did_you_mean(name, sorted(taken))
            yield Problem(("anchors", name), f"{name!r} is not what a player is rated as", hint)
    house_bots = value.get("house_bots")
    named = house_bots if isinstance(house_bots, list) else []
    for number, name in enumerate(named):
        if isinstance(name, str) and name not in seen:
            hint = did_you_mean(name, sorted(seen))
            yield Problem(("house_bots", number), f"{name!r} is not in players", hint)
        if name in named[:number]:
            yield Problem(("house_bots", number), f"{name!r} is named twice")
        if any(player.get("name") == name and player.get("model") for player in players):
            message = f"{name!r} is a language model: it would be asked wherever a house bot sits in"
            yield Problem(("house_bots", number), message, "name a program")
    if value.get("after_fault") == "substitute" and not named:
        hint = "name a player in house_bots to sit in for who faults"
        yield Problem(("after_fault",), "substitute needs a house bot", hint)
    ordinary = sum(not player.get("house") for player in players)
    if players and ordinary == 0 and not isinstance(value.get("submissions"), dict):
        yield Problem(("players",), "all of them are house bots")
    elif to_play and game is not None and -ordinary % game.table_size and not named:
        hint = "name a player in house_bots to fill up"
        yield Problem(("players",), f"{ordinary} players do not fill tables of {game.table_size}", hint)


def _commitment_problems(seed: object, commitment: object) -> Iterable[Problem]:
    """Yield the problem of a commitment to a guessable seed, or to another seed."""
    if seed == "auto" or not isinstance(seed, str | int) or not isinstance(commitment, str):
        return
    text = str(seed).encode(errors="surrogatepass")
    if len(text) * 8 < GUESSABLE_BITS:
        message = f"a seed of {len(text) * 8} bits can be guessed, so there is nothing to commit to"
        yield Problem(("seed_commitment",), message, f"a seed of {GUESSABLE_BITS} bits or more")
    elif COMMITMENT.fullmatch(commitment) and sha256(text).hexdigest() != commitment:
        yield Problem(("seed_commitment",), "is not the SHA-256 of the seed", "printf %s SEED | sha256sum")


def _weak_seed_problems(seed: object) -> Iterable[Problem]:
    """Yield the problem of a seed that authors' programs could guess from their own cards."""
    if seed != "auto" and isinstance(seed, str | int) and seed_bits(str(seed)) < LEAST_BITS:
        message = f"a seed of {seed_bits(str(seed))} bits can be guessed by the programs that authors send"
        hint = "leave it out, and one is drawn that they cannot guess; or insist with weak_seed: true"
        yield Problem(("seed",), message, hint)


def _calendar_problems(opens: object, until: object) -> Iterable[Problem]:
    """Yield the problem of a season that opens after its end."""
    try:
        first, last = (parse_until(str(moment)) for moment in (opens, until))
    except ConfigError:
        # Not given, or reported already.
        return
    if first >= last:
        yield Problem(("opens",), "the season opens after it has ended", "write a moment before `until`")


def problems_of_players(
    written: Any, folder: Path, languages: Languages, check_commands: bool
) -> Iterable[Problem]:
    """Yield the problems of players by `faults_of_version`, of commands' files only with `check_commands`."""
    for number, player in enumerate(written if isinstance(written, list) else []):
        keys = player if isinstance(player, dict) else {}
        try:
            program = VersionModel.model_validate(
                {k: keys[k] for k in VersionModel.model_fields if k in keys}
            )
        except ValidationError:
            # Reported already, with the rest of its entry.
            continue
        for place, message in faults_of_version(program, folder, check_commands, languages):
            yield Problem(("players", number, *place), message, about=str(keys.get("name")))


def is_of_a_file(problem: Problem) -> bool:
    """True for a missing file of a player's `command` or `read`."""
    return len(problem.path) > len(("players", 0))


def problems_of_store(written: Any, folder: Path) -> Iterable[Problem]:
    """Yield the problem of a store in memory, of a folder, or in a missing folder."""
    if not isinstance(written, str):
        return
    url = resolve_address(written, folder)
    file = file_of(url)
    if not is_persistent(url):
        yield Problem(("store",), f"{written} keeps nothing", "name a file")
    elif missing := missing_folder(url):
        yield Problem(("store",), f"there is no folder {missing}", "make it, or name another one")
    elif file is not None and file.is_dir():
        yield Problem(("store",), f"{file} is a folder", "name a file in it")


def problems_of_ship(model: SeasonModel, folder: Path) -> Iterable[Problem]:
    """Yield the missing folders among those to ship to other machines."""
    for number, name in enumerate(model.ship):
        if not os.path.isdir(folder / name):
            yield Problem(("ship", number), f"there is no folder {name}")


def unpriced(model: SeasonModel) -> list[str]:
    """Return the rated names of language models without a price."""
    names = (rated_name(player.name, player.version) for player in model.players if player.model is not None)
    return [name for name in names if price_of(model.prices, name) is None]


def problems_of_stop(model: SeasonModel) -> Iterable[Problem]:
    """Yield the problems of stop rules: no counting interval, or unknown costs."""
    others = {rated_name(player.name, player.version) for player in model.players if not player.house}
    if (
        model.stop_when.elo is not None
        and model.submissions is None
        and not others - {*(model.anchors or ())}
    ):
        hint = "those of house bots and anchors do not"
        yield Problem(("stop_when", "elo"), "no player's interval counts", hint)
    if model.stop_when.cost is None:
        return
    if all(player.model is None for player in model.players):
        yield Problem(("stop_when", "cost"), "no player here has costs", "it is for language models")
    for name in unpriced(model):
        hint = f"write prices: {{{name}: {{input: 3, output: 15}}}}, for a million tokens"
        yield Problem(("stop_when", "cost"), f"{name} has no price", hint)


def problems_of_secrets(model: SeasonModel, folder: Path) -> Iterable[Problem]:
    """Read webhooks' secret files; yield those unreadable, not regular, open to others or of wrong size."""
    for number, webhook in enumerate(model.webhooks):
        try:
            read_secret(folder / webhook.secret_file)
        except ConfigError as error:
            problem = error.problems[0]
            yield Problem(("webhooks", number, "secret_file"), problem.message, problem.hint)


def _webhook_problems(written: object) -> Iterable[Problem]:
    """Yield the webhooks with the address of an earlier one."""
    urls: list[object] = []
    for number, webhook in enumerate(written if isinstance(written, list) else []):
        url = webhook.get("url") if isinstance(webhook, dict) else None
        if isinstance(url, str) and url in urls:
            yield Problem(("webhooks", number, "url"), "is that of an earlier webhook", "one is enough")
        urls.append(url)
