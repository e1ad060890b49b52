"""The checks of a suite, one after the other: each passes or fails, with the reason in one line."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.match.follower import Follower, conduct_with
from arbiter.match.in_memory import match_spec
from arbiter.match.position import Position, planned_deals
from arbiter.match.referee import referee
from arbiter.match.spec import COPY_MARK, original
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.player_command import name_of_command
from arbiter.store import Store
from arbiter.store.address import address_of
from arbiter.trials.botcheck import Subject, check_in_worker
from arbiter.trials.regression.blocks import Meeting, block_score, block_specs, half_width, match_score
from arbiter.trials.regression.own_season import open_season, play_blocks
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.trial_state import WORST, ScoredMatch, faults_in, worst_of
from rating.evidence import e_value, log_evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.games.game import Action, AnyGame, Seat
    from arbiter.match.record import MatchRecord, MatchSummary, Move
    from arbiter.match.spec import Limits, MatchSpec, Player
    from arbiter.store import SeasonStore
    from arbiter.table.executors import Slots
    from arbiter.trials.regression.trial_state import FaultSeen
    from arbiter.trials.suite.suite_file import Suite, SuiteCheck


LINES = 5
"""Lines shown of a bot's standard error."""


class CheckResult(NamedTuple):
    """The result of a check: one line and, if it failed, its worst matches, or without a match the last lines
    of the bot's standard error; `e` is the evidence that the bot wins more than `at_least`.
    """

    ok: bool
    detail: str
    shown: tuple[CheckedMatch, ...] = ()
    stderr: tuple[str, ...] = ()
    name: str = ""
    seconds: float = 0.0
    e: float | None = None


def run_checks(suite: Suite, executor: Slots) -> Iterator[CheckResult]:
    """Run the checks in turn and yield each result; VoidMatch if our machine fails."""
    for check in suite.checks:
        begun = time.monotonic()
        made = _KINDS[check.kind](suite, check, executor)
        yield made._replace(name=check.name, seconds=time.monotonic() - begun)


def _check_bot(suite: Suite, check: SuiteCheck, executor: Slots) -> CheckResult:
    """Run all required steps of `arbiter check-bot`, in a worker."""
    game = suite.game
    steps = executor.submit(check_in_worker, game.name, game.options, suite.bot, check.limits).result()
    failed = [step for step in steps if step.fails]
    if failed:
        names = ", ".join(step.name for step in failed)
        text = f"fails {names}: {failed[0].detail}; fix: {failed[0].fix}"
        return CheckResult(False, text, stderr=failed[0].stderr)
    return CheckResult(True, f"{sum(step.ok is True for step in steps)} steps")


def _beats(suite: Suite, check: SuiteCheck, executor: Slots) -> CheckResult:
    """Check that the mean result over blocks is high enough; the interval is from the blocks' means."""
    names = names_of(suite.bot, check.opponent)
    with _play(suite, check, executor) as (meeting, season, played):
        faults = faults_in(played)
        if theirs := [fault.match for fault in faults if fault.version == BASE]:
            text = f"no verdict is possible: the opponent {names[BASE]} made {len(theirs)} faults"
            return CheckResult(False, text, tuple(stored_records(meeting, season, names, theirs)))
        by_block = groupby(played, key=attrgetter("round"))
        scores = [block_score(False, matches).score or 0.0 for _, matches in by_block]
        score = fmean(scores)
        text = f"{100 * score:.1f} %{_margin(scores)} of {len(scores)} blocks"
        text += f"; at least {100 * check.at_least:g} % is required"
        e = _evidence(scores, check.at_least)
        if faults:
            text += f"; {len(faults)} matches lost by faults, first {fault_text(faults[0], names)}"
        if score >= check.at_least:
            return CheckResult(True, text, e=e)
        scored = [ScoredMatch(match, match_score(match)) for match in played]
        bad = worst_of(faults, scored)
        return CheckResult(
            False, text, tuple(stored_records(meeting, season, names, [each.match for each in bad])), e=e
        )


def _evidence(scores: Sequence[float], enough: float) -> float:
    """Return the e-value against a mean score of at most `enough`."""
    import numpy as np

    if enough >= 1.0:
        return 1.0
    # The alternative is halfway to 1, since the file names none.
    return e_value(float(log_evidence(np.array(scores), enough, (1.0 + enough) / 2.0)[-1]))


def _margin(scores: Sequence[float]) -> str:
    """Return `` ± 3.2``, half the 95 % interval in percent; "" for fewer than two blocks."""
    half = half_width(scores)
    return "" if half is None else f" ± {100 * half:.1f}"


def _no_faults(suite: Suite, check: SuiteCheck, executor: Slots) -> CheckResult:
    """Check that the bot makes no fault, against itself or an opponent."""
    with _play(suite, check, executor) as (meeting, season, played):
        own = (CANDIDATE, BASE) if check.opponent is None else (CANDIDATE,)
        every = faults_in(played)
        faults = [fault for fault in every if fault.version in own]
        if faults:
            names = names_of(suite.bot, check.opponent)
            text = f"{len(faults)} of {len(played)} matches ended by its fault"
            text += f", first {fault_text(faults[0], names)}"
            return CheckResult(
                False, text, tuple(stored_records(meeting, season, names, [bad.match for bad in faults]))
            )
        most = max(
            bot.charged_ns
            for record in season.records()
            for bot in record.bots
            if original(bot.player) in own
        )
        text = f"none in {len(played)} matches; at most {most / 1e6:.0f} ms charged in one"
        return CheckResult(True, text + (f"; {len(every)} ended by the opponent's" if every else ""))


def _replays(suite: Suite, check: SuiteCheck, executor: Slots) -> CheckResult:
    """Check that the bot decides as in the record when the match is played again."""
    record = check.record
    assert record is not None
    found = executor.submit(first_difference, record, check.seat, suite.bot, check.limits).result()
    moves = sum(move.seat == check.seat for move in record.moves)
    return CheckResult(not found, found or f"{moves} moves of seat {check.seat}")


_KINDS = {"check-bot": _check_bot, "beats": _beats, "no-faults": _no_faults, "replays": _replays}


@contextmanager
def _play(
    suite: Suite, check: SuiteCheck, executor: Slots
) -> Iterator[tuple[Meeting, SeasonStore, list[MatchSummary]]]:
    """Play the check's blocks into a temporary store; give the meeting, the season and its matches."""
    opponent = check.opponent or replace(suite.bot, name=BASE)
    meeting = Meeting("suite", suite.game, opponent, suite.bot, (), check.limits)
    with (
        tempfile.TemporaryDirectory(prefix="arbiter-suite-") as folder,
        closing(Store(address_of(Path(folder) / "suite.sqlite"))) as store,
    ):
        season = open_season(store, meeting.name, suite.game.name, seed=suite.seed)
        blocks = (list(block_specs(meeting, season.seed, block)) for block in range(1, check.blocks + 1))
        for _ in play_blocks(season, blocks, executor, executor.size + 1):
            pass
        yield meeting, season, season.summaries()


class CheckedMatch(NamedTuple):
    """A match as planned, and its record with the programs' names."""

    spec: MatchSpec
    record: MatchRecord

    @property
    def stderr(self) -> list[str]:
        """The last lines of the faulty bot's standard error; none without a fault."""
        forfeit = self.record.forfeit
        return [] if forfeit is None else self.record.bots[forfeit.seat].stderr.splitlines()[-LINES:]


def names_of(bot: Player, opponent: Player | None) -> dict[str, str]:
    """Return the names of both programs by their files; a repeated name gets a number."""
    mine = name_of_command(bot.command)
    theirs = mine if opponent is None else name_of_command(opponent.command)
    return {CANDIDATE: mine, BASE: theirs if theirs != mine else f"{theirs}-2"}


def fault_text(fault: FaultSeen, names: Mapping[str, str]) -> str:
    match = fault.match
    return f"{match.id}: {names[fault.version]} forfeits ({match.fault}): {match.detail}"


def stored_records(
    meeting: Meeting, season: SeasonStore, names: Mapping[str, str], matches: Sequence[MatchSummary]
) -> Iterator[CheckedMatch]:
    """Load the stored records of the first `WORST` of these matches."""
    for match in matches[:WORST]:
        record = season.match(match.id)
        specs = block_specs(meeting, season.seed, match.round or 0)
        spec = next(spec for spec in specs if spec.id == match.id)
        if record is not None:
            yield CheckedMatch(spec, _with_names(record, names).with_digest_id())


def _with_names(record: MatchRecord, names: Mapping[str, str]) -> MatchRecord:
    """Return the record with the programs' names instead of the versions'."""

    def name(role: str) -> str:
        """Return a version's program name, with the number of a copy."""
        version, mark, number = role.partition(COPY_MARK)
        return f"{names[version]}{mark}{number}"

    forfeit = record.forfeit
    return replace(
        record,
        players=tuple(map(name, record.players)),
        bots=tuple(replace(bot, player=name(bot.player)) for bot in record.bots),
        forfeit=None if forfeit is None else replace(forfeit, player=name(forfeit.player)),
    )


class _ComparisonOver(Exception):
    """Ends the comparison; the text is the difference, "" for none."""


def first_difference(record: MatchRecord, seat: Seat, player: Player, limits: Limits) -> str:
    """Play a recorded match again and return in words where the bot first differs, "" if it does not.

    The others play as recorded, up to a recorded forfeit. VoidMatch if our machine failed, ConfigError for a
    match that cannot be dealt again.
    """
    game = _make_game(record)
    spec = match_spec(game, seed=record.seed, round_number=record.round, names=record.players)
    players = tuple(player if other == seat else spec.players[other] for other in range(len(spec.players)))
    spec = replace(spec, players=players, limits=limits)
    course = _RecordedMoves(Position.opening(game, record.seed, record.round or 1), record.moves)
    try:
        with closing(Launcher()) as launcher, Subject(game, player, limits, launcher).run(seat) as bot:
            again = conduct_with(referee(game, spec), {seat: bot}, course)
    except _ComparisonOver as over:
        return str(over)
    if again.forfeit is not None and again.forfeit.seat == seat:
        moves = sum(move.seat == seat for move in again.moves)
        return f"after {moves} of its moves it forfeits ({again.forfeit.fault}): {again.forfeit.detail}"
    return ""


class _RecordedMoves(Follower):
    """The recorded moves: the others' to play, the bot's to compare."""

    def __init__(self, position: Position, moves: tuple[Move, ...]) -> None:
        super().__init__(position)
        self._moves = moves

    def action_of(self, seat: Seat) -> Action:  # noqa: ARG002
        """Return the next recorded action, of whichever seat."""
        return self.position.parse(self._next_move().action)

    def check(self, action: Action) -> None:
        """Raise _ComparisonOver if an action of the bot differs from the recorded one."""
        move, position = self._next_move(), self.position
        said = position.game.action_text(position.state, move.seat, action)
        if said != move.action:
            place = f"move {position.made + 1} (deal {move.deal}, {move.request})"
            raise _ComparisonOver(f"{place}: expected {move.action} as in the record, got {said}")

    def _next_move(self) -> Move:
        """Return the next recorded move; _ComparisonOver after the last."""
        if self.position.made == len(self._moves):
            raise _ComparisonOver
        return self._moves[self.position.made]


def _make_game(record: MatchRecord) -> AnyGame:
    """Return the game, with the record's cards if the seed does not give them; ConfigError if chained."""
    game = make(record.game, record.options)
    if planned_deals(game, record.seed, record.round or 1).hash == record.deal_hash:
        return game
    if game.chained:
        raise ConfigError(f"{record.id} cannot be dealt again: its cards were given, and play changed them")
    return game.given([game.deal_from_json(shape) for shape in record.deals])
