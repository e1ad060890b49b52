"""docs/reference/data-sets.md names every column of every data set, as the schemas of the files do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter import __version__
from arbiter.games import make
from arbiter.replay.export.columns import (
    CHEFS_HAT_COLUMNS,
    EVENT_COLUMNS,
    RESULT_COLUMNS,
    SEAT_COLUMNS,
    facts,
)
from arbiter.replay.export.event_rows import write_events
from arbiter.replay.export.match_files import write_parquet
from arbiter.testing import play_by_policy, random_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.replay.export.columns import Columns

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "data-sets.md"
BEGIN = "<!-- made by tests/replay/export/test_data_sets_page.py --rewrite-golden, from here -->\n"
END = "<!-- to here -->\n"
PARQUET: dict[str, tuple[str, Columns]] = {
    "Seats": ("parquet", SEAT_COLUMNS),
    "Events": ("events-parquet", EVENT_COLUMNS),
    "Chef's Hat": ("chefs-hat-parquet", CHEFS_HAT_COLUMNS),
}
DATA_SETS = {"Pairwise results": ("csv", RESULT_COLUMNS), **PARQUET}


def tables() -> Iterator[str]:
    for title, (form, columns) in DATA_SETS.items():
        yield from ("", f"## {title}: `{form}`", "", "| column | type | what | unit |", "|---|---|---|---|")
        for name, column in columns.items():
            yield f"| `{name}` | {column.kind} | {column.what} | {column.unit} |"
    yield ""


def test_the_page_has_every_column_of_every_data_set(request: pytest.FixtureRequest) -> None:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page = before + BEGIN + "\n".join(tables()) + "\n" + END + after
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(page)
    assert page == PAGE.read_text()


@pytest.mark.parametrize("title", PARQUET)
def test_a_parquet_file_says_what_it_holds(title: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not here")
    form, columns = PARQUET[title]
    game = make("chefs_hat", {"rules": "gym2", "matches": 1})
    records = [play_by_policy(game, random_policy("1"))]
    file = tmp_path / "x.parquet"
    known = facts(game, "spring", "a seed that is long enough")
    if form == "parquet":
        write_parquet(records, str(file), known)
    else:
        write_events(form, records, str(file), lambda _: game, known)
    schema = parquet.read_schema(file)
    assert schema.names == list(columns)
    for name, column in columns.items():
        told = schema.field(name).metadata
        assert (told[b"description"].decode(), told[b"unit"].decode()) == (column.what, column.unit)
    assert schema.metadata[b"arbiter.version"].decode() == __version__
    assert schema.metadata[b"arbiter.rules"] == b"chefs_hat"
    assert b'"rules": "gym2"' in schema.metadata[b"arbiter.options"]
    assert schema.metadata[b"arbiter.season"] == b"spring"
    # printf %s 'a seed that is long enough' | sha256sum
    assert schema.metadata[b"arbiter.seed_sha256"][:16] == b"c1b32fa3f9bddcff"


@pytest.mark.parametrize("seed", ["", "a seed"])
def test_a_seed_that_is_not_known_or_that_its_hash_would_tell_is_not_committed_to(seed: str) -> None:
    assert set(facts(make("codepiece", {}), seed=seed)) == {
        "arbiter.version",
        "arbiter.rules",
        "arbiter.options",
    }
