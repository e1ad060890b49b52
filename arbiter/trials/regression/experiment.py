"""Read a regression test from a file and options into an `Experiment`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictBool, StrictInt

from arbiter.errors import ConfigError, Problem
from arbiter.season.config import load
from arbiter.season.config.game_option import settings_of
from arbiter.season.config.keys import StrictModel, TableModel, Version, VersionModel
from arbiter.season.config.validation import place_problems, validate
from arbiter.season.config.value_types import Seed, StoreUrl, Word
from arbiter.season.config.yaml_positions import Document, read_document
from arbiter.season.settings import CHOICE, REGRESS
from arbiter.store.address import address_of, file_of, resolve_address
from arbiter.store.sqlite import companions
from arbiter.trials.regression.blocks import Meeting
from arbiter.trials.regression.program_identity import (
    BASE,
    CANDIDATE,
    CANDIDATES,
    CONTENTS,
    Digests,
    attempt_of,
    name_of,
    player_settings,
)
from arbiter.trials.regression.tested_versions import find_versions, names_as_mapping
from rating.errors import OptionError
from rating.sequential.gsprt import Gsprt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import Player
    from arbiter.season.config.programs import Place


STORE = "regress.sqlite"
VERSIONS = (BASE, CANDIDATE, CANDIDATES)
"""Keys that name programs."""


@dataclass(frozen=True, slots=True)
class Experiment(Meeting):
    """A checked regression test. `settings` are what the digest in its `name` covers, as JSON values.

    In a choice, `candidates` has all by their names, and `candidate` is the first. `seed` is "auto" or the
    seed's text. With `fail_at_once` the first fault of either version ends the test. `notes` name files whose
    content is not in the digest.
    """

    test: Gsprt
    candidates: tuple[Player, ...] = ()
    non_regression: bool = False
    fail_at_once: bool = False
    seed: str = "auto"
    store: str = address_of(STORE)
    workers: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def attempt(self) -> int:
        """The number of the attempt, from 1; starting again adds 1."""
        return attempt_of(self.name)

    @property
    def block_size(self) -> int:
        return self.test.matches

    def meeting_at(self, table: int | None) -> Experiment:
        """Return it with the candidate at this table of the choice, from 1 or None for the first.

        Unchanged if it is no choice.
        """
        if not self.candidates:
            return self
        return replace(self, candidate=replace(self.candidates[(table or 1) - 1], name=CANDIDATE))


def load_experiment(
    file: str | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
    written: Iterable[str] = (),
) -> Experiment:
    """Load the experiment of a file, or of no file, and its programs; `given` keys replace the file's.

    `options` are added to the game's. Commands in `given` are relative to the current folder, those of the
    file to its folder. Files and folders that are `written` belong to neither program. ConfigError lists
    every problem.
    """
    document = read_document(Path(file)) if file is not None else Document({})
    folder = Path(file).parent if file is not None else Path()
    folders = {key: Path() if key in given else folder for key in ("field", "config", *VERSIONS)}
    # One candidate as an option replaces several in the file, and several replace one.
    other = {CANDIDATE: CANDIDATES, CANDIDATES: CANDIDATE}
    replaced = {other[key] for key in given.keys() & other.keys()}
    of_file = {key: value for key, value in document.value.items() if key not in replaced}
    values, wrong = merge_field_settings({**of_file, **given}, {}, folders["config"], "config")
    values, problems = merge_field_settings(values, options or {}, folders["field"])
    problems[:0] = wrong
    if CANDIDATES not in values and values.pop("config", None) is not None:
        problems.append(Problem(("config",), "is for several candidates, and here is only one"))
    if CANDIDATES in values and values.pop("family", None) is not None:
        problems.append(Problem(("family",), "is for tests: candidates of one choice share their alpha"))
    versions: dict[Place, Player] = {}
    kind: type[TestModel] = ChoiceModel if CANDIDATES in values else RegressModel
    reading = validate(document, kind, values)
    reading.problems[:0] = problems
    if (model := reading.model) is not None:
        if values.get("game") is None and not problems:
            reading.problems.append(Problem(("game",), "is required", "arbiter games lists them"))
        reading.problems += problems_of_levels(model)
        if len(reading.problems) == len(document.problems):
            name = str(_game_name(values.get("game")))
            versions, found = find_versions(model.named(), folders, model.config, name)
            reading.problems += found
    model, game = reading.settled(
        file or "", lambda found, places: locate_problems(found, places, given, options or {})
    )
    field = load_field(model.field, folders["field"])
    base = replace(versions.pop((BASE,)), name=BASE)
    tried = [replace(player, name=str(place[-1])) for place, player in versions.items()]
    store = model.store or address_of(STORE if file is None else f"{Path(file).stem}.sqlite")
    store = resolve_address(store, Path() if "store" in given else folder)
    league = None if model.field is None else folders["field"] / model.field
    digests = digests_excluding(store, file, league, *written)
    several = CANDIDATES in values
    programs = [player_settings(player, digests) for player in tried]
    players = {
        BASE: player_settings(base, digests),
        **({CANDIDATES: programs} if several else {CANDIDATE: programs[0]}),
        "field": [player_settings(player, digests) for player in field],
    }
    first = {BASE: base, CANDIDATE: replace(tried[0], name=CANDIDATE)}
    experiment = build_experiment(model, game, first, field, players, digests, tried if several else ())
    return replace(experiment, store=store, notes=tuple(digests.notes))


def digests_excluding(store: str, *apart: str | Path | None) -> Digests:
    """Return digests of programs that exclude a store and these files and folders."""
    there = file_of(store)
    stored = () if there is None else (str(there), *companions(str(there)))
    return Digests(Path(path) for path in (*apart, *stored) if path is not None)


def stop_rule(
    game: AnyGame, keys: Mapping[str, Any], against_field: bool = False, most_blocks: int | None = None
) -> Gsprt:
    """Return the sequential test of a game by keys as in `RegressModel`; elo0 and elo1 have no defaults.

    Tests begun before `better` took evidence have no key `evidence`, and keep their rule. The level of a test
    in a family is in `of_family`. OptionError if the keys fit no test.
    """
    own = ("elo0", "elo1", "alpha", "beta", "measure")
    test = Gsprt(
        **{key: (keys | keys.get("of_family", {}))[key] for key in own if key in keys},
        evidence=bool(keys.get("evidence", False)),
        scale=keys.get("bounds", "logistic"),
        matches=2 * len(game.seatings) if against_field else len(game.duels),
        most_blocks=most_blocks,
        share=0.5 if against_field else 1.0,
    )
    return replace(test, level_blocks=test.enough_level_blocks) if keys.get("non_regression") else test


def merge_field_settings(
    value: Mapping[str, Any], options: Mapping[str, Any], folder: Path, key: str = "field"
) -> tuple[dict[str, Any], list[Problem]]:
    """Load the season's file at `key`; return the keys with `options` and its defaults, and problems."""
    problems: list[Problem] = []
    value = dict(value)
    league = value.get(key)
    if isinstance(league, str) and league:
        try:
            settings = load(folder / league, check_commands=key == "field").settings
        except ConfigError as error:
            problems += [Problem((key,), line) for line in str(error).splitlines()]
        else:
            own = settings["game"]["name"]
            value = {key: settings[key] for key in ("game", *TableModel.model_fields)} | value
            if _game_name(value["game"]) != own:
                problems.append(
                    Problem(("game",), f"is {_game_name(value['game'])!r}, but the {key} plays {own}")
                )
    if options and (game := value.get("game")):
        value["game"] = {**(game if isinstance(game, dict) else {"name": game}), **options}
    return value, problems


def problems_of_levels(model: RuleModel) -> Iterator[Problem]:
    """Yield why elo0 and elo1 fit no test: order, non_regression, points; and keys not for a choice."""
    elo0, elo1 = model.levels
    if isinstance(model, ChoiceModel):
        for key in sorted({"measure", "bounds", "non_regression"} & model.model_fields_set):
            yield Problem((key,), "is for a test of one candidate; a choice uses results and Elo")
    if model.non_regression and elo1 > 0:
        message = f"expected at most 0 with non_regression, got {elo1:g}"
        yield Problem(("elo1",), message, "write 0, with a negative elo0; or remove non_regression")
    elif model.measure == "points" and model.bounds == "logistic" and elo0 != 0:
        message = f"expected 0 with measure: points, got {elo0:g}: the Elo of a point is only estimated"
        yield Problem(("elo0",), message, "write elo0: 0, bounds: normalized, or measure: results")
    elif elo0 >= elo1 and model.elo1 is None:
        yield Problem(("elo0",), f"{elo0:g} is not below elo1, which is {elo1:g}")
    elif elo0 >= elo1:
        yield Problem(("elo1",), f"{elo1:g} is not above elo0, which is {elo0:g}")


def _game_name(game: object) -> object:
    return game.get("name") if isinstance(game, dict) else game


def locate_problems(
    problems: list[Problem], document: Document, given: Mapping[str, Any], options: Mapping[str, Any]
) -> list[Problem]:
    """Return the problems with their places in the file, or under the options that they came from."""
    typed, keys = [], []
    for problem in problems:
        key, *rest = map(str, problem.path or ("",))
        if key == "game" and rest and rest[0] in options:
            typed.append(Problem((f"--option {rest[0]}", *rest[1:]), problem.message, problem.hint))
        elif key in given or (key and not document.value):
            shown = [word for word in rest if word != "command"] if key in ("game", *VERSIONS) else []
            option = CANDIDATE if key == CANDIDATES else key.replace("_", "-")
            typed.append(Problem((f"--{option}", *shown), problem.message, problem.hint))
        else:
            keys.append(problem)
    return [*place_problems(keys, document), *typed]


def load_field(league: str | None, folder: Path) -> tuple[Player, ...]:
    """Load a season's players and house bots; one named like a version gets a suffix."""
    if league is None:
        return ()
    players = [entry.player for entry in load(folder / league).entries]
    return tuple(
        replace(player, name=f"{player.name}@field") if player.name in (BASE, CANDIDATE) else player
        for player in players
    )


def build_experiment(
    model: TestModel,
    game: AnyGame,
    versions: Mapping[str, Player],
    field: tuple[Player, ...],
    players: Mapping[str, Any],
    digests: Digests,
    candidates: Sequence[Player] = (),
) -> Experiment:
    """Return the experiment of checked keys, ConfigError without a test; `players` are `player_settings`."""
    commands: dict[str, Any] = {CANDIDATE: list(versions[CANDIDATE].command)}
    if candidates:
        commands = {CANDIDATES: {player.name: list(player.command) for player in candidates}}
    elo0, elo1 = model.levels
    left_out = {"store", "workers", "field", "config", *VERSIONS}
    # Tests begun before families existed have no such key.
    left_out |= {"family"} if getattr(model, "family", None) is None else set()
    settings = model.model_dump(mode="json", exclude=left_out) | {
        "game": settings_of(game),
        "seed": str(model.seed),
        "elo0": elo0,
        "elo1": elo1,
        "evidence": True,
        BASE: list(versions[BASE].command),
        **commands,
        "players": players,
        CONTENTS: digests.contents,
    }
    try:
        test = stop_rule(game, settings, bool(field), model.max_blocks)
    except OptionError as error:
        raise ConfigError(str(error)) from None
    return Experiment(
        name=name_of(settings, CHOICE if candidates else REGRESS),
        game=game,
        base=versions[BASE],
        candidate=versions[CANDIDATE],
        candidates=tuple(candidates),
        field=field,
        limits=model.limits(),
        test=test,
        non_regression=model.non_regression,
        fail_at_once=model.faults == "fail",
        seed=str(model.seed),
        workers=None if model.workers == "auto" else model.workers,
        settings=settings,
    )


Risk = Annotated[float, Field(gt=0, lt=0.5, strict=True)]
Elo = Annotated[float, Field(ge=-1000, le=1000, strict=True, allow_inf_nan=False)]
LEVELS = {False: (0.0, 10.0), True: (-10.0, 0.0)}
"""Defaults of elo0 and elo1, by `non_regression`."""


class RuleModel(StrictModel):
    """The keys of the stop rule."""

    elo0: Elo | None = None
    elo1: Elo | None = None
    alpha: Risk = 0.05
    beta: Risk = 0.05
    measure: Literal["results", "points"] = "results"
    bounds: Literal["logistic", "normalized"] = "logistic"
    non_regression: StrictBool = False
    max_blocks: Annotated[StrictInt, Field(gt=0)] | None = None
    faults: Literal["count", "fail"] = "count"

    @property
    def levels(self) -> tuple[float, float]:
        """The values of elo0 and elo1, given or default."""
        elo0, elo1 = LEVELS[self.non_regression]
        return elo0 if self.elo0 is None else self.elo0, elo1 if self.elo1 is None else self.elo1


class BlocksModel(TableModel):
    """The keys of every file whose blocks are played.

    `field` is a season's file; both versions meet its players instead of each other.
    """

    base: Version
    game: str | dict[str, Any] | None = None
    field: Word | None = None
    seed: Seed = "auto"
    store: StoreUrl | None = None
    workers: Literal["auto"] | Annotated[StrictInt, Field(gt=0)] = "auto"


class TestModel(BlocksModel, RuleModel):
    """The file of `arbiter regress` without its candidates; each key is also an option of the command.

    `config` is the season's file with the candidates that are named without a command.
    """

    config: Word | None = None

    def named(self) -> dict[Place, VersionModel | None]:
        """Return the versions by their places; None for players of the season."""
        return {(BASE,): self.base}


class RegressModel(TestModel):
    """A test of one candidate; the tests of one `family` share a level."""

    candidate: Version
    family: Word | None = None

    def named(self) -> dict[Place, VersionModel | None]:
        return super().named() | {(CANDIDATE,): self.candidate}


class ChoiceModel(TestModel):
    """A choice among candidates, by name."""

    candidates: Annotated[dict[str, Version | None], BeforeValidator(names_as_mapping)]

    def named(self) -> dict[Place, VersionModel | None]:
        return super().named() | {(CANDIDATES, name): model for name, model in self.candidates.items()}
