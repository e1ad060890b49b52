"""A season's YAML file as typed values; all mistakes at once, with file:line:column and a hint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from arbiter.errors import ConfigError, Problem, did_you_mean
from arbiter.match.spec import Limits, Player
from arbiter.season.config.cross_checks import (
    GUESSABLE_BITS,
    cross_checks,
    is_of_a_file,
    problems_of_players,
    problems_of_secrets,
    problems_of_ship,
    problems_of_stop,
    problems_of_store,
    unpriced,
)
from arbiter.season.config.game_option import game_of, settings_of
from arbiter.season.config.keys import (
    AfterFault,
    Key,
    PlayerModel,
    Requests,
    SeasonModel,
    StopModel,
    Submissions,
    Terms,
    keys_that_are,
)
from arbiter.season.config.models import PACKAGE, model_entry, problems_of_models
from arbiter.season.config.programs import (
    languages_of,
    player_of,
    problems_of_languages,
    python_warning,
    submitted_player,
    with_languages,
)
from arbiter.season.config.settings_diff import LATER, Role, is_sent, rated_name, role_of, without_gone
from arbiter.season.config.submission_settings import version_of
from arbiter.season.config.validation import place_problems, validate
from arbiter.season.config.yaml_positions import read_document
from arbiter.store.address import default_store, resolve_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.games.game import AnyGame
    from arbiter.season.config.programs import Languages
    from arbiter.season.config.webhook_settings import Webhook


FREE = keys_that_are(Key.FREE)
"""The keys that the digest does not cover: of these only the seed affects results, and it cannot change."""
LATER_OF_PLAYERS = frozenset({"sha256", "publish_notes", "model", "rung"})
"""Keys of a player that settings have only if they are set."""
OPEN = frozenset(key for key, before in LATER.items() if SeasonModel.model_fields[key].default != before)
"""Keys whose defaults have changed, or depend on keys that change freely: see `as_before`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered player; a `house` bot only fills up tables.

    `is_sent` is True for an author's version, `rung` for a player of known strength to compare with.
    """

    player: Player
    house: bool
    registered_name: str
    is_sent: bool = False
    rung: bool = False

    @property
    def role(self) -> Role:
        """The role that keeps it out of the official ranks, "" for a ranked player."""
        return role_of(self.house, self.rung)


@dataclass(frozen=True, kw_only=True)
class Config(Terms):
    """A checked season. `seed` is "auto" or the seed's text.

    `settings` are the keys that affect results, as JSON values, and `digest` is their SHA-256.
    Relative paths of commands, `read` and `ship` start at `folder`; `ship` are folders to copy to other
    machines.
    `submissions` and `requests` are None where authors may send or request nothing; `roster` are the rated
    names of their active versions.
    `gone` are, by name, the missing files of players left out of the check of commands.
    `languages` are the season's programs, by the words that start them.
    `left_open` are the keys of `OPEN` that the file leaves out.
    """

    file: Path
    folder: Path
    season: str
    game: AnyGame
    seed: str
    store: str
    limits: Limits
    workers: int | None
    ship: tuple[Path, ...]
    house_bots: tuple[str, ...]
    entries: tuple[Entry, ...]
    digest: str
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    stop_when: StopModel = field(default_factory=StopModel)
    after_fault: AfterFault = "end"
    submissions: Submissions | None = None
    requests: Requests | None = None
    webhooks: tuple[Webhook, ...] = ()
    roster: frozenset[str] = frozenset()
    gone: Mapping[str, str] = field(default_factory=dict)
    languages: Languages = field(default_factory=dict)
    left_open: frozenset[str] = field(default=frozenset(), compare=False)

    def called(self, name: str) -> list[Entry]:
        """Return the entries of a player by its rated or registered name; ConfigError for an unknown name."""
        found = [entry for entry in self.entries if name in (entry.player.name, entry.registered_name)]
        if not found:
            known = sorted({entry.registered_name for entry in self.entries})
            raise ConfigError(f"no player {name!r}", hint=did_you_mean(name, known))
        return found


def load(
    path: str | Path,
    check_commands: bool = False,
    check_store: bool = False,
    missing: dict[str, list[Problem]] | None = None,
    check_secrets: bool = False,
) -> Config:
    """Read and check a season's file; ConfigError with all its problems.

    `check_commands` is for playing: it also refuses players who do not fill tables, and missing programs or
    files; the latter go to `missing`, by player, if that is given and nothing else is wrong. `check_store`
    refuses a store in memory, a folder, and a missing folder. `check_secrets` refuses webhooks whose secrets
    cannot be used.
    """
    file = Path(path)
    reading = validate(read_document(file), SeasonModel)
    written = reading.document.value
    reading.problems += cross_checks(written, reading.game, check_commands)
    named = written.get("folder", ".")
    folder = file.parent / (named if isinstance(named, str) else ".")
    lacking: list[Problem] = []
    if folder.is_dir():
        languages = {} if reading.model is None else languages_of(reading.model.languages, folder)
        found = list(problems_of_players(written.get("players"), folder, languages, check_commands))
        lacking = [problem for problem in found if is_of_a_file(problem)]
        reading.problems += [problem for problem in found if not is_of_a_file(problem)]
        if reading.model is not None:
            reading.problems += [*problems_of_ship(reading.model, folder), *problems_of_languages(languages)]
    else:
        reading.problems.append(Problem(("folder",), f"there is no folder {named}"))
    if reading.model is not None and reading.game is not None:
        reading.problems += problems_of_models(
            (player.model for player in reading.model.players), reading.game, check_commands
        )
    if reading.model is not None:
        reading.problems += problems_of_stop(reading.model)
    if check_store:
        reading.problems += problems_of_store(written.get("store"), file.parent)
    if check_secrets and reading.model is not None:
        reading.problems += problems_of_secrets(reading.model, file.parent)
    if missing is None or reading.problems:
        reading.problems += lacking
    config = _make_config(file, folder, *reading.settled(str(path)))
    if missing is not None:
        for problem in place_problems(lacking, reading.document):
            missing.setdefault(config.entries[int(problem.path[1])].player.name, []).append(problem)
    return config


def _make_config(file: Path, folder: Path, model: SeasonModel, game: AnyGame) -> Config:
    """Build the config of valid keys, with its warnings."""
    languages = languages_of(model.languages, folder)
    entries = [_entry(player, folder, languages, model) for player in model.players]
    seed = str(model.seed)
    settings = _settings(model, game)
    warnings = []
    if seed != "auto" and len(seed.encode()) * 8 < GUESSABLE_BITS:
        warnings.append(
            "a short seed: bots can guess it from their own cards, and then know all deals"
            " (seed: auto draws one that they cannot)"
        )
    until = model.until
    if until is not None and until <= datetime.now(UTC):
        warnings.append(f"until: {until:%Y-%m-%d %H:%M} is over: beyond `rounds` no round is played")
    sent = model.submissions and model.submissions.until
    if sent and sent <= datetime.now(UTC):
        warnings.append(f"submissions: until: {sent:%Y-%m-%d %H:%M} is over: no archive is accepted")
    if model.submissions is not None:
        warnings += python_warning(languages)
    if model.submissions is not None and model.fault_rule() == "end":
        mend = "leave the key out" if model.house_bots else "name a player in house_bots"
        warnings.append(
            "submissions with after_fault: end: who gives its own matches away decides which of the others'"
            f" count, and a friend may profit ({mend}, and what a fault ended is played once more)"
        )
    if model.submissions is not None and model.opens is None and model.every is None:
        ends = f"all {model.rounds} rounds" if until is None else "rounds"
        warnings.append(
            f"submissions without `opens` or `every`: {ends} follow one another as soon as there are enough"
            " players, so those who send later may find the season over (every: 24h, say)"
        )
    if model.prices:
        warnings += (f"prices: none for {name}: its costs are not known" for name in unpriced(model))
    terms = {key.name: getattr(model, key.name) for key in fields(Terms)}
    if until is not None and "rounds" not in model.model_fields_set:
        terms["rounds"] = 1
    season = model.season or file.stem
    return Config(
        **terms,
        file=file,
        folder=folder,
        season=season,
        game=game,
        seed=seed,
        store=resolve_address(model.store, file.parent) if model.store else default_store(season, file),
        limits=model.limits(),
        workers=None if model.workers == "auto" else model.workers,
        ship=tuple((folder / name).resolve() for name in model.ship),
        house_bots=tuple(model.house_bots),
        entries=tuple(entries),
        digest=digest_of(settings),
        settings=settings,
        warnings=tuple(warnings),
        stop_when=model.stop_when,
        after_fault=model.fault_rule(),
        submissions=model.submissions,
        requests=model.requests,
        webhooks=tuple(webhook.settled(file.parent) for webhook in model.webhooks),
        languages=languages,
        left_open=OPEN - model.model_fields_set,
    )


def entry_of(model: PlayerModel, folder: Path, languages: Languages) -> Entry:
    """Return a player of a file, or an author's version, as an entry."""
    name, is_sent = rated_name(model.name, model.version), model.sha256 is not None
    if is_sent:
        version = version_of((*model.command, *model.read), folder)
        player = submitted_player(name, model.command, folder, model.read, languages, version)
    else:
        player = with_languages(player_of(name, model, folder), languages)
    player = replace(player, publish_notes=model.publish_notes)
    return Entry(player, model.house, model.name, is_sent, model.rung is True)


def _entry(player: PlayerModel, folder: Path, languages: Languages, season: SeasonModel) -> Entry:
    """Return a player of a file as an entry, with the limits of its model."""
    entry = entry_of(player, folder, languages)
    if player.model is None:
        return entry
    made = model_entry(player.model, season.tokens or {}, season.attempts)
    # The harness imports it.
    read = (*entry.player.read, str(PACKAGE))
    return replace(entry, player=replace(entry.player, model=made, read=read))


def settings_of_player(model: PlayerModel) -> dict[str, Any]:
    """Return a player's settings, without unset keys of later versions, which would change the digest."""
    shape = model.model_dump(mode="json", exclude={"command"} if model.model is not None else None)
    return {key: shape[key] for key in shape if key not in LATER_OF_PLAYERS or shape[key] is not None}


def _settings(model: SeasonModel, game: AnyGame) -> dict[str, Any]:
    """Return all keys that affect results except the seed, as JSON values."""
    covered = model.model_dump(mode="json", exclude={*FREE, "game", "players"})
    covered["players"] = [settings_of_player(player) for player in model.players]
    covered["after_fault"] = model.fault_rule()
    return _without_later(covered) | {"game": settings_of(game)}


def _without_later(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without later keys at their default, so that older seasons keep their digest."""
    return {key: value for key, value in settings.items() if key not in LATER or value != LATER[key]}


def as_before(config: Config, settings: Mapping[str, Any]) -> Config:
    """Return the config, with the keys left open as in the settings of the last round.

    So a season continues as it began if a later version has other defaults, or if `submissions`, which may
    change freely, would decide.
    """
    kept = {key: settings.get(key, LATER[key]) for key in config.left_open}
    now = _without_later({**config.settings, **kept})
    return replace(config, **kept, settings=now, digest=digest_of(now))


def as_it_was(config: Config, settings: Mapping[str, Any]) -> Config | None:
    """Return a config with earlier settings, keys outside the digest as in `config`; None if invalid."""
    try:
        model = SeasonModel.model_validate({**LATER, **settings, **without_gone(settings)})
        game = game_of(model.game)
    except (ValidationError, ConfigError):
        return None
    then = _make_config(config.file, config.folder, model, game)
    # The original value, even if obsolete: deciding it for this machine replaces it.
    then = replace(then, limits=replace(then.limits, isolation=settings.get("isolation", model.isolation)))
    same = {name: getattr(config, name) for name in FREE}
    # Not computed from the model: settings stored by an earlier version may lack keys.
    return replace(then, **same, digest=digest_of(settings), settings=settings, warnings=())


def digest_of(settings: Mapping[str, Any]) -> str:
    """Return the SHA-256 of settings as JSON with sorted keys."""
    return sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def with_players(config: Config, players: Iterable[Mapping[str, Any]]) -> Config:
    """Return the config with these players, given as settings, after those of its file.

    They replace the players of an earlier call, and other versions of theirs from stored settings.
    """
    models = [PlayerModel.model_validate(player) for player in players]
    names = {model.name for model in models}
    kept = [
        (entry, player)
        for entry, player in zip(config.entries, config.settings["players"], strict=True)
        if not (is_sent(player) and player["name"] in names) and entry.player.name not in config.roster
    ]
    players = [player for _, player in kept] + [settings_of_player(model) for model in models]
    if players == config.settings["players"]:
        return config
    settings = {**config.settings, "players": players}
    return replace(
        config,
        entries=(
            *(entry for entry, _ in kept),
            *(entry_of(model, config.folder, config.languages) for model in models),
        ),
        settings=settings,
        digest=digest_of(settings),
        roster=frozenset(rated_name(model.name, model.version) for model in models),
    )
