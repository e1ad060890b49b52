"""What a failed check shows: its worst matches, with the programs under their own names.

A check is played like a regression test, whose players are called candidate and base.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from arbiter.match import COPY_MARK
from arbiter.players import name_of_command
from arbiter.regress.blocks import block_specs
from arbiter.regress.identity import BASE, CANDIDATE
from arbiter.regress.trial import WORST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.match import MatchRecord, MatchSpec, MatchSummary, Player
    from arbiter.regress.blocks import Meeting
    from arbiter.regress.trial import FaultSeen
    from arbiter.store import SeasonStore

LINES = 5
"""Of a bot's standard error."""


class Shown(NamedTuple):
    """A match as it was planned, and its record with the programs' own names."""

    spec: MatchSpec
    record: MatchRecord

    @property
    def stderr(self) -> list[str]:
        """The last lines that the faulty bot wrote to standard error; none where nobody faulted."""
        forfeit = self.record.forfeit
        return [] if forfeit is None else self.record.bots[forfeit.seat].stderr_tail.splitlines()[-LINES:]


def names_of(bot: Player, opponent: Player | None) -> dict[str, str]:
    """The names of both programs, by their files; the same name twice gets a number."""
    mine = name_of_command(bot.command)
    theirs = mine if opponent is None else name_of_command(opponent.command)
    return {CANDIDATE: mine, BASE: theirs if theirs != mine else f"{theirs}-2"}


def told(fault: FaultSeen, names: Mapping[str, str]) -> str:
    """A fault in one line."""
    match = fault.match
    return f"{match.id}: {names[fault.version]} forfeits ({match.fault}): {match.detail}"


def shown(
    meeting: Meeting, season: SeasonStore, names: Mapping[str, str], matches: Sequence[MatchSummary]
) -> Iterator[Shown]:
    """The first few of these matches, with what is stored of them."""
    for match in matches[:WORST]:
        record = season.match(match.id)
        specs = block_specs(meeting, season.seed, match.round or 0)
        spec = next(spec for spec in specs if spec.id == match.id)
        if record is not None:
            yield Shown(spec, _renamed(record, names))


def _renamed(record: MatchRecord, names: Mapping[str, str]) -> MatchRecord:
    def name(role: str) -> str:
        version, mark, number = role.partition(COPY_MARK)
        return f"{names[version]}{mark}{number}"

    forfeit = record.forfeit
    return replace(
        record,
        players=tuple(map(name, record.players)),
        bots=tuple(replace(bot, player=name(bot.player)) for bot in record.bots),
        forfeit=None if forfeit is None else replace(forfeit, player=name(forfeit.player)),
    )
