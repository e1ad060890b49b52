"""Files of rows, written row by row: CSV, a pickled pandas frame, Parquet.

A file appears under its name only when it is complete. The cost of a row does not grow with the
number of rows. CSV and Parquet hold at most a group of rows in memory; a frame is one object, so
the pickle is written at the end from the columns kept until then.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args
from weakref import WeakValueDictionary

from arbiter.errors import ConfigError, did_you_mean
from arbiter.replay.export.atomic_files import AtomicFile
from arbiter.replay.export.columns import Columns, Kind
from arbiter.text import csv_cell

Form: TypeAlias = Literal["csv", "pkl", "parquet"]
FORMS: tuple[str, ...] = get_args(Form)
ROWS_AT_ONCE = 10_000
"""Rows of a row group of a Parquet file, which are held in memory."""

_OPEN: WeakValueDictionary[str, RowFile] = WeakValueDictionary()
"""The files that this process is writing, by path."""


class RowFile:
    """An open file of rows in one form, by default that of its suffix.

    `facts` are the metadata of Parquet files. ConfigError for an unknown suffix, without the package for it,
    or if it cannot be written.
    """

    def __init__(
        self, file: str, columns: Columns, form: str | None = None, facts: Mapping[str, str] | None = None
    ) -> None:
        if not isinstance(file, str | os.PathLike):
            raise ConfigError(f"a data set is a file's name, not {file!r}")
        file = os.fspath(file)
        form = Path(file).suffix.lstrip(".") if form is None else form
        if form not in FORMS:
            hint = did_you_mean(form, [f".{f}" for f in FORMS])
            raise ConfigError(f"{form!r} is not a form of a data set", file, hint)
        self._file = file
        self._whole = AtomicFile(file)
        place = str(self._whole.path)
        if (other := _OPEN.get(place)) is not None and other._sink is not None:
            raise ConfigError("is being written already: give each its own file", file)
        self._sink: _Sink | None = None
        with self._writing():
            self._sink = _SINKS[form](self._whole.part, columns, facts or {})
        _OPEN[place] = self

    def write(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows with all columns. ConfigError once complete, or on failure, which deletes the file."""
        if self._sink is None:
            raise ConfigError("is complete: nothing can be added", self._file)
        with self._writing():
            for row in rows:
                self._sink.add(row)

    def close(self) -> None:
        """Complete the file; a second call does nothing. ConfigError on failure, which deletes the file."""
        sink, self._sink = self._sink, None
        if sink is not None:
            with self._writing():
                sink.close()
                self._whole.complete()

    def discard(self) -> None:
        """Close and delete the unfinished file; errors are ignored."""
        sink, self._sink = self._sink, None
        if sink is not None:
            with suppress(OSError):
                sink.close()
        self._whole.discard()

    def __enter__(self) -> RowFile:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """At an OSError in the block, delete the unfinished file and raise ConfigError."""
        try:
            yield
        except OSError as error:
            self.discard()
            raise self._whole.unwritable(error) from None


class _Csv:
    """Writes CSV: lists and mappings as Python literals, for `ast.literal_eval`; a text that a spreadsheet
    would evaluate gets an apostrophe in front (`arbiter.text`).
    """

    def __init__(self, path: Path, columns: Columns, facts: Mapping[str, str]) -> None:  # noqa: ARG002
        self._out = open(path, "w", encoding="utf-8", newline="")  # noqa: SIM115
        self._columns = tuple(columns)
        self._writer = csv.writer(self._out, lineterminator="\n")
        self._writer.writerow(self._columns)

    def add(self, row: Mapping[str, Any]) -> None:
        self._writer.writerow([csv_cell(row[column]) for column in self._columns])

    def close(self) -> None:
        self._out.close()


class _Pickle:
    def __init__(self, path: Path, columns: Columns, facts: Mapping[str, str]) -> None:  # noqa: ARG002
        try:
            import pandas as pd
        except ImportError:
            raise ConfigError(
                "a .pkl is written by the package pandas, which is not here", hint="pip install pandas"
            ) from None
        self._frame = pd.DataFrame
        self._path = path
        path.touch()  # fail early if it cannot be written
        self._columns: dict[str, list[Any]] = {column: [] for column in columns}

    def add(self, row: Mapping[str, Any]) -> None:
        for column, values in self._columns.items():
            values.append(row[column])

    def close(self) -> None:
        """Write the frame of all rows to the file."""
        # As objects: pandas would turn integers with gaps into floats.
        frame = self._frame(self._columns, dtype=object)
        frame.to_pickle(str(self._path), compression=None)


class _Parquet:
    """Writes Parquet, `ROWS_AT_ONCE` rows at a time; mappings as lists of name and value."""

    def __init__(self, path: Path, columns: Columns, facts: Mapping[str, str]) -> None:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            hint = "pip install 'arbiter-cards[parquet]'"
            raise ConfigError(
                "Parquet is written by the package pyarrow, which is not here", hint=hint
            ) from None
        whole, text = pa.int64(), pa.string()

        def name_value_list(value: Any) -> Any:
            # Not a map: Hugging Face `datasets` does not read it.
            return pa.list_(pa.struct([("name", text), ("value", value)]))

        kinds: dict[Kind, Any] = {
            "int": whole,
            "short int": pa.int32(),
            "float": pa.float64(),
            "bool": pa.bool_(),
            "text": text,
            "ints": pa.list_(whole),
            "texts": pa.list_(text),
            "hands": pa.list_(pa.list_(whole)),
            "texts by name": name_value_list(text),
            "ints by name": name_value_list(whole),
            "floats by name": name_value_list(pa.float64()),
        }
        fields = [
            pa.field(name, kinds[column.kind], metadata={"description": column.what, "unit": column.unit})
            for name, column in columns.items()
        ]
        self._schema = pa.schema(fields, metadata=dict(facts))
        self._named = [name for name, column in columns.items() if column.kind.endswith("by name")]
        self._table = pa.Table.from_pylist
        self._writer = parquet.ParquetWriter(path, self._schema)
        self._rows: list[Mapping[str, Any]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep a row; write the kept rows once they are `ROWS_AT_ONCE`."""
        pairs = {
            column: [{"name": name, "value": value} for name, value in row[column].items()]
            for column in self._named
            if row[column] is not None
        }
        self._rows.append({**row, **pairs})
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._table(self._rows, schema=self._schema))
            self._rows = []

    def close(self) -> None:
        self._flush()
        self._writer.close()


_Sink: TypeAlias = _Csv | _Pickle | _Parquet
_SINKS: dict[str, type[_Sink]] = {"csv": _Csv, "pkl": _Pickle, "parquet": _Parquet}
