"""An arena: a folder with a season whose players are the rungs (graded opponents) for an agent's bots.

The agent is an author of that season: its programs are unpacked, built, tried and sandboxed as on a site. Its
matches are those of `arbiter gauntlet` and count in no season.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from arbiter.contest.submissions.author_accounts import add_authors, settled_name
from arbiter.errors import ConfigError
from arbiter.games.samples import SEASON
from arbiter.sandbox.player_command import missing_programs
from arbiter.season.config import load
from arbiter.season.config.keys import Submissions
from arbiter.season.config.readable_secrets import confine
from arbiter.season.config.settings_diff import rated_name
from arbiter.season.roster import with_versions
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.store.address import is_persistent
from arbiter.store.audit import CONSOLE
from arbiter.store.versions import ACCEPTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.versions import Submission
    from arbiter.trials.gauntlet import Gauntlet

USUAL_NAME = "agent"
MOST_RUNGS = 24
"""The most opponents: more would not fit into an answer."""
PER_DAY = 1_000
"""The default limit of new programs in 24 hours."""


class OpenArena(NamedTuple):
    """An arena's store, and its season there."""

    store: Store
    stored: SeasonStore


@dataclass(frozen=True, slots=True)
class AgentArena:
    """A season's `config` with resolved isolation, the reasons of `missing` players, the agent's `name`."""

    config: Config
    missing: Mapping[str, str]
    name: str

    @classmethod
    def read(cls, folder: Path, name: str = USUAL_NAME) -> AgentArena:
        """Read a folder's arena, without players whose programs are missing; ConfigError if not playable."""
        file = folder / SEASON
        if not file.is_file():
            hint = f"arbiter init {folder} --ladder writes one"
            raise ConfigError(f"has no {SEASON}", str(folder), hint)
        config = load(file)
        if not is_persistent(config.store):
            raise ConfigError(f"store: {config.store} is not persistent", str(file), "name a file")
        players = [entry.player for entry in config.entries]
        missing = {player.name: why for player in players if (why := "; ".join(missing_programs(player)))}
        # The warning about rungs that can read each other's files is irrelevant here.
        arena = cls(confine(config)[0], missing, settled_name(name))
        return replace(arena, config=replace(arena.config, submissions=arena.terms))

    @property
    def terms(self) -> Submissions:
        """The season's key `submissions`, by default with `PER_DAY` new programs in 24 hours."""
        return self.config.submissions or Submissions(per_day=PER_DAY)

    @property
    def rungs(self) -> list[str]:
        """The rated names of opponents, up to `MOST_RUNGS`, without the `missing` ones."""
        there = [entry.player.name for entry in self.config.entries]
        return [name for name in there if name not in self.missing][:MOST_RUNGS]

    @contextmanager
    def open(self) -> Iterator[OpenArena]:
        """Open the store; create the season and the agent if they do not exist.

        ConfigError if the agent's name is taken by a player, or looks like a player's.
        """
        with closing(Store(self.config.store)) as store:
            stored = Season.open(self.config, store).stored
            if stored.authors.find(self.name) is None:
                # The token is discarded: access to the folder suffices.
                add_authors(self.config, stored, [self.name], organiser=False, who=CONSOLE)
            yield OpenArena(store, stored)

    def version(self, stored: SeasonStore, number: int | None = None) -> Submission:
        """Load an accepted version, by default the last; ConfigError if it does not exist."""
        accepted = self.accepted(stored)
        for found in accepted:
            if number in (None, found.version):
                return found
        if not accepted:
            raise ConfigError("no program of yours has been accepted yet", hint="submit one")
        there = ", ".join(str(found.version) for found in accepted)
        raise ConfigError(f"version {number} is not accepted", hint=f"accepted versions: {there}")

    def accepted(self, stored: SeasonStore) -> list[Submission]:
        """Load all accepted versions, newest first."""
        return [found for found in stored.submissions.of(self.name) if found.state == ACCEPTED]

    def gauntlet(self, version: Submission, store: Store) -> Gauntlet:
        """Return a version's gauntlet against all rungs, resumed from `store`; ConfigError without rungs."""
        # Imported here: a check does not need it.
        from arbiter.trials.gauntlet import Gauntlet

        if not self.rungs:
            hint = "build or install the program of one"
            raise ConfigError(
                "no opponent: the programs of all players are missing", str(self.config.file), hint
            )
        config = with_versions(self.config, [version])
        return Gauntlet.of(config, rated_name(self.name, version.version), self.rungs).resume(store)
