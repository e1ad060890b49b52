#!/usr/bin/env bash
# datasets 5.2.0 (Hugging Face) with pyarrow 26.0.1, Python 3.11, seen 2026-11-28.
#
# Behaviour: a Parquet file with one column of Arrow's type map is refused as a whole, in all three ways to read it:
# load_dataset, load_dataset(streaming=True) and Dataset.from_parquet. The same content as a list of structs is read
# by all three. pyarrow, which datasets reads Parquet with, reads both.
# Output seen: "ValueError: Arrow type map<string, double ('scores')> does not have a datasets dtype equivalent."
# Who meets it: whoever writes dictionaries with pyarrow's map type, which polars, pandas and DuckDB read, and
# publishes the file as a data set. Scores by player name are such a column.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check datasets==5.2.0 pyarrow==26.0.1
cd "$folder"
HF_HUB_OFFLINE=1 HF_HOME="$folder/home" "$folder/venv/bin/python" - <<'PYTHON'
import datasets
import pyarrow as pa
import pyarrow.parquet as pq

scores = [[("ann", 3.0), ("ben", 1.0)], [("ann", 2.0)]]
pair = pa.struct([("name", pa.string()), ("value", pa.float64())])
columns = {
    "map": pa.array(scores, pa.map_(pa.string(), pa.float64())),
    "structs": pa.array([[{"name": n, "value": v} for n, v in row] for row in scores], pa.list_(pair)),
}
ways = {
    "load_dataset": lambda file: datasets.load_dataset("parquet", data_files=file, split="train"),
    "streaming": lambda file: list(datasets.load_dataset("parquet", data_files=file, split="train", streaming=True)),
    "from_parquet": lambda file: datasets.Dataset.from_parquet(file),
}
seen = {}
for kind, column in columns.items():
    file = f"{kind}.parquet"
    pq.write_table(pa.table({"scores": column}), file)
    assert pq.read_table(file).num_rows == 2
    for way, read in ways.items():
        try:
            read(file)
            seen[kind, way] = "read"
        except Exception as error:
            while error.__cause__ is not None:
                error = error.__cause__
            seen[kind, way] = f"{type(error).__name__}: {error}"
for (kind, way), what in seen.items():
    print(f"{kind:8} {way:13} {what}")
refused = {what for (kind, _), what in seen.items() if kind == "map"}
assert refused == {"ValueError: Arrow type map<string, double ('scores')> does not have a datasets dtype equivalent."}, refused
assert {what for (kind, _), what in seen.items() if kind == "structs"} == {"read"}
PYTHON
