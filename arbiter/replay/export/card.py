"""The data card of a data set: content, origin, and caveats for learning.

It is written with the data, beside the file under its name with .md, in a folder as README.md.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.match.spec import original
from arbiter.replay.export.atomic_files import write_atomically
from arbiter.replay.export.columns import CHEFS_HAT_COLUMNS, EVENT_COLUMNS, SEAT_COLUMNS
from arbiter.text import counted, faults_text, markdown, markdown_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arbiter.match.record import MatchRecord
    from arbiter.replay.export.columns import Columns

MOST_PLAYERS = 200
"""Rows of the table of players."""

_ROWS = {
    "parquet": "one row for each seat of each match",
    "minari": "an episode of Minari for each seat of each match",
    "events": "one row for each event of each match",
    "chefs-hat": "one row for each event, in the columns of Chef's Hat's own data sets",
}
_COLUMNS: dict[str, Columns] = {
    "parquet": SEAT_COLUMNS,
    "events": EVENT_COLUMNS,
    "chefs-hat": CHEFS_HAT_COLUMNS,
}
_OF_ROUNDS = (
    "- All tables of a round play the same deals, and each table plays them in all seatings. So matches of",
    "  a round are not independent: split by rounds, not by rows, or what is tested was seen in training.",
)
_CARDS = "- It holds the cards of all seats: more than any player saw."
_SEEN = {
    "parquet": "- It holds results alone, no cards and no decisions.",
    "minari": "- An observation is what the seat saw: no other seat's cards.",
    "events": _CARDS,
    "chefs-hat": f"{_CARDS}\n"
    "- Columns `by name` are lists of `name` and `value` in Parquet, elsewhere mappings from name to value.",
}
_KNOWN = {
    "arbiter.rules": "game",
    "arbiter.options": "options",
    "arbiter.season": "season",
    "arbiter.seed_sha256": "SHA-256 of the seed",
    "arbiter.version": "written by arbiter",
}


class DataCard:
    """Counts the content of a data set, and writes its card."""

    def __init__(self, form: str, known: Mapping[str, str]) -> None:
        self._form, self._known = form, known
        self._matches, self._moves = 0, 0
        self._players: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._rounds: set[int] = set()

    def count(self, records: Iterable[MatchRecord]) -> Iterator[MatchRecord]:
        """Yield the records unchanged, counting them for the card."""
        for record in records:
            self._matches += 1
            self._moves += len(record.moves)
            self._players.update(set(map(original, record.players)))
            if record.round is not None:
                self._rounds.add(record.round)
            if record.forfeit is not None:
                self._faults[str(record.forfeit.fault)] += 1
            yield record

    def write(self, output: str) -> str:
        """Write the card beside a file, or into a folder; return its path. ConfigError if that fails."""
        card = f"{output}/README.md" if Path(output).is_dir() else f"{output}.md"
        write_atomically(card, "\n".join(self._card_lines(Path(output).name)))
        return card

    def _card_lines(self, name: str) -> Iterator[str]:
        """Yield the lines of the card of a data set called `name`, from the counts so far."""
        table = self._form if self._form in _ROWS else self._form.rpartition("-")[0]
        rounds = f" of {counted(len(self._rounds), 'round')}" if self._rounds else ""
        size = f"{counted(self._matches, 'match')}{rounds}, {counted(self._moves, 'decision')}"
        yield from (f"# {markdown(name)}", "", f"{size}; {_ROWS[table]}.", "")
        yield from _markdown_table(("", ""), ((_KNOWN[key], said) for key, said in self._known.items()))
        yield from (
            "",
            "## What to know",
            "",
            "Programs played under a referee, which kept rules and clock.",
            "",
        )
        if self._rounds:
            yield from _OF_ROUNDS
        yield _SEEN[table]
        yield "- Decisions are those of the programs below; a name may stand for several versions."
        ended = f"{faults_text(self._faults)}" if self._faults else "none"
        yield f"- Matches that a fault ended: {ended}. Annulled ones, and those played again, are left out."
        yield from ("", "## Players", "")
        rows = ((player, str(many)) for player, many in self._players.most_common(MOST_PLAYERS))
        yield from _markdown_table(("player", "matches"), rows)
        if (more := len(self._players) - MOST_PLAYERS) > 0:
            yield from ("", f"and {more} more")
        if columns := _COLUMNS.get(table):
            yield from ("", "## Columns", "", "| column | type | what | unit |", "|---|---|---|---|")
            for column, (kind, what, unit) in columns.items():
                yield f"| `{column}` | {kind} | {what} | {unit} |"
        yield ""


def _markdown_table(header: tuple[str, str], rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield f"| {header[0]} | {header[1]} |"
    yield "|---|---|"
    for label, text in rows:
        yield f"| {markdown(label)} | {markdown_code(text, table=True)} |"
