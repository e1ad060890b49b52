"""An arena: a folder with a season whose players are the rungs that an agent's bots climb.

The agent is an author of that season, and what it submits is unpacked, built, tried and confined as what an
author sends to a site. Its matches are those of `arbiter gauntlet`, and count in no season.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from arbiter.contest.submissions.author_accounts import add_authors, settled_name
from arbiter.errors import ConfigError
from arbiter.games.samples import SEASON
from arbiter.sandbox.player_command import lacking
from arbiter.season.config import load
from arbiter.season.config.keys import Submissions
from arbiter.season.config.readable_secrets import confine
from arbiter.season.config.settings_diff import rated_name
from arbiter.season.roster import with_versions
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.store.address import lasts
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
"""Players of a season that are met: more would not fit into an answer."""
PER_DAY = 1_000
"""New programs in 24 hours, where the season does not say how many."""


class OpenArena(NamedTuple):
    """An arena's store, and its season there."""

    store: Store
    stored: SeasonStore


@dataclass(frozen=True, slots=True)
class AgentArena:
    """A season's `config`, its isolation settled; why players are `missing`, by name; the agent's `name`."""

    config: Config
    missing: Mapping[str, str]
    name: str

    @classmethod
    def read(cls, folder: Path, name: str = USUAL_NAME) -> AgentArena:
        """The arena in a folder; ConfigError where it has no season, or one that cannot be played.

        Players whose programs are not there are left out.
        """
        file = folder / SEASON
        if not file.is_file():
            hint = f"arbiter init {folder} --ladder writes one"
            raise ConfigError(f"holds no {SEASON}", str(folder), hint)
        config = load(file)
        if not lasts(config.store):
            raise ConfigError(f"store: {config.store} keeps nothing", str(file), "name a file")
        players = [entry.player for entry in config.entries]
        missing = {player.name: why for player in players if (why := "; ".join(lacking(player)))}
        # That the rungs can read each other's files is nobody's affair here.
        arena = cls(confine(config)[0], missing, settled_name(name))
        return replace(arena, config=replace(arena.config, submissions=arena.terms))

    @property
    def terms(self) -> Submissions:
        """How much the agent may send."""
        return self.config.submissions or Submissions(per_day=PER_DAY)

    @property
    def rungs(self) -> list[str]:
        """The names of those whom its bots meet."""
        there = [entry.player.name for entry in self.config.entries]
        return [name for name in there if name not in self.missing][:MOST_RUNGS]

    @contextmanager
    def opened(self) -> Iterator[OpenArena]:
        """Open the store, and make the season and the agent where they are not there yet.

        ConfigError where the agent's name is taken by a player, or looks like one that is.
        """
        with closing(Store(self.config.store)) as store:
            stored = Season.open(self.config, store).stored
            if stored.authors.named(self.name) is None:
                # Nobody is told the token: who holds the folder needs none.
                add_authors(self.config, stored, [self.name], organiser=False, who=CONSOLE)
            yield OpenArena(store, stored)

    def version(self, stored: SeasonStore, number: int | None = None) -> Submission:
        """An accepted version, by default the last; ConfigError where there is none."""
        accepted = self.accepted(stored)
        for found in accepted:
            if number in (None, found.version):
                return found
        if not accepted:
            raise ConfigError("no program of yours was accepted yet", hint="submit one")
        there = ", ".join(str(found.version) for found in accepted)
        raise ConfigError(f"version {number} is no accepted one", hint=f"there are {there}")

    def accepted(self, stored: SeasonStore) -> list[Submission]:
        """All accepted versions, the newest first."""
        return [found for found in stored.submissions.of(self.name) if found.state == ACCEPTED]

    def gauntlet(self, version: Submission, store: Store) -> Gauntlet:
        """The matches of a version against all rungs, as far as `store` has them."""
        # A check does without.
        from arbiter.trials.gauntlet import Gauntlet

        if not self.rungs:
            raise ConfigError("none of its players is there", str(self.config.file))
        config = with_versions(self.config, [version])
        return Gauntlet.of(config, rated_name(self.name, version.version), self.rungs).resume(store)
