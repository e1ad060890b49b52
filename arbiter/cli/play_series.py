"""`play --matches`: many matches between the same bots, their progress, records and tally."""

from __future__ import annotations

import json
import shlex
from collections import deque
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, TextIO

from arbiter.cli.output import note, print_result, print_table, say
from arbiter.cli.progress import Bar, stored_matches
from arbiter.cli.rerun_command import replay_command
from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.match.packing import unpack
from arbiter.match.spec import original
from arbiter.store import Store
from arbiter.table.executors import processes, slots
from arbiter.text import counted, faults_text, signed
from arbiter.trials.match_series import series_tally
from arbiter.trials.regression.own_season import open_season, play_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.match.record import MatchRecord, MatchSummary
    from arbiter.match.spec import MatchSpec
    from arbiter.trials.match_series import MatchSeries

IN_MEMORY = "sqlite:///:memory:"


def play_series(
    series: MatchSeries,
    matches: int,
    workers: int | None,
    records_file: str | None,
    strict: bool,
    style: str,
) -> None:
    """Play the matches and print their tally, also after an interrupt.

    `records_file` is replaced, and gets each record, in the order of the matches, when it and those before
    have ended. BotCheckFailed after a fault if `strict`.
    """
    size = len(series.game.seatings)
    if matches % size:
        whole = matches + -matches % size
        note(
            f"the last deals are played in {matches % size} of {size} rotations; --matches {whole} plays all"
        )
    played: list[MatchSummary] = []
    again: dict[str, str] = {}
    try:
        _play(series, matches, workers, records_file, played, again)
    except KeyboardInterrupt:
        if played:
            _print(style, series, played, again)
        raise
    _print(style, series, played, again)
    faults = [match for match in played if match.faulty is not None]
    if strict and faults:
        raise BotCheckFailed(f"{len(faults)} of {counted(len(played), 'match')} ended by a fault")


def _play(
    series: MatchSeries,
    matches: int,
    workers: int | None,
    records_file: str | None,
    played: list[MatchSummary],
    again: dict[str, str],
) -> None:
    """Play the matches in worker processes; add each to `played`, and its record to the file.

    `again` gets the command that leads to the first recorded fault of each player, by name.
    """
    seated = {player.name: player for player in series.players}
    with ExitStack() as stack:
        records = None
        if records_file is not None:
            try:
                file = stack.enter_context(open(records_file, "w", encoding="utf-8"))
            except OSError as error:
                raise ConfigError(f"cannot be written: {error.strerror}", records_file) from None
            records = stack.enter_context(closing(_RecordLines(file, series.blocks(matches))))
        store = stack.enter_context(closing(Store(IN_MEMORY)))
        season = open_season(store, "play", series.game.name, seed=series.seed)
        executor = stack.enter_context(processes(slots(workers)))
        bar = stack.enter_context(Bar(each=True))
        bar.show(series.game.name, matches)
        events = play_blocks(season, series.blocks(matches), executor, executor.size + 1)
        for match in stored_matches(events):
            if records is not None and records_file is not None:
                record = unpack(match.record, match.summary.id)
                records.add(record)
                if (forfeit := record.forfeit) is not None and original(forfeit.player) not in again:
                    program = seated[forfeit.player]
                    command = replay_command(record, records_file, program, series.limits)
                    again[original(forfeit.player)] = command
            played.append(match.summary)
            bar.show_match(match.summary)


class _RecordLines:
    """A file that gets records in the order of the matches, each when those before it have ended, too."""

    def __init__(self, file: TextIO, blocks: Iterable[Sequence[MatchSpec]]) -> None:
        self._file, self._left = file, deque(spec.id for block in blocks for spec in block)
        self._ended: dict[str, str] = {}

    def add(self, record: MatchRecord) -> None:
        self._ended[record.id] = json.dumps(record.to_json(), separators=(",", ":")) + "\n"
        while self._left and self._left[0] in self._ended:
            self._file.write(self._ended.pop(self._left.popleft()))
        self._file.flush()

    def close(self) -> None:
        """Write the matches that follow an interrupted one."""
        self._file.writelines(self._ended.pop(id, "") for id in self._left)


def _print(style: str, series: MatchSeries, played: Sequence[MatchSummary], again: Mapping[str, str]) -> None:
    found = series_tally(series, played)
    print_result(style, found, lambda: _print_tally(found, again))


def _print_tally(found: dict[str, Any], again: Mapping[str, str]) -> None:
    rows = [
        [
            row["player"],
            row["matches"],
            _with_half(row["points_a_match"], row["points_a_match_interval"]),
            _with_half(row["points_a_deal"], row["points_a_deal_interval"]),
            *(row[key] for key in ("wins", "draws", "losses")),
            "-" if row["score"] is None else f"{100 * row['score']:.1f} %",
            signed(row["elo"]),
            "-" if row["elo"] is None else f"{signed(row['low'])} to {signed(row['high'])}",
            sum(row["faults"].values()),
        ]
        for row in found["players"]
    ]
    columns = [
        "player", "matches", "points a match", "a deal", "won", "drawn", "lost", "score", "Elo", "95 %",
        "faults",
    ]  # fmt: skip
    title = f"{found['game']}: {counted(found['matches'], 'match')}, seed {found['seed']}"
    print_table(columns, rows, title)
    # Two programs of one file name, such as two versions, are numbered.
    if any(row["player"].endswith("-2") for row in found["players"]):
        for row in found["players"]:
            say(f"{row['player']}: {shlex.join(row['command'])}")
    for row in found["players"]:
        if row["faults"]:
            say(f"{row['player']}: {faults_text(row['faults'])}")
            if row["player"] in again:
                say(f"  again    {again[row['player']]}")
    say("± is half the 95 % interval, over sets of deals; won, drawn and lost count single opponents")


def _with_half(mean: float | None, interval: list[float] | None) -> str:
    if mean is None:
        return "-"
    # Never -0.00.
    text = f"{round(mean, 2) + 0.0:.2f}"
    return text if interval is None else f"{text} ± {(interval[1] - interval[0]) / 2:.2f}"
