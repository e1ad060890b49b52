#!/usr/bin/env bash
# rlcard 1.2.0, Python 3.11, seen 2026-11-29.
#
# Behaviour: the first `import rlcard.games.doudizhu` of an installation unpacks jsondata.zip beside the module, in
# site-packages. A process that may not write there cannot import the game; after one import that may, all others can.
# Output seen: "before: ['jsondata.zip']; read-only: OSError; one that may write: imported, 3 files; read-only again: imported"
# (read-only is shown by an `open` and a `mkdir` that refuse, since root may write everywhere)
# Who meets it: whoever runs an RLCard agent in a sandbox, a container with a read-only file system, or as another user
# than the one who installed it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check rlcard==1.2.0
cat >"$folder/look.py" <<'PYTHON'
import os
import subprocess
import sys
from pathlib import Path

import rlcard

here = Path(rlcard.__file__).parent / "games" / "doudizhu"
DENY = """
import os
def refused(self, mode=511, *more, **keywords):
    raise OSError(30, "Read-only file system")
if os.environ.get("READ_ONLY"):
    import builtins, pathlib
    write = builtins.open
    def open_to_read(file, mode="r", *more, **keywords):
        if set(mode) & set("wax+") and "site-packages" in str(file):
            raise OSError(30, "Read-only file system", str(file))
        return write(file, mode, *more, **keywords)
    builtins.open = open_to_read
    os.mkdir = os.makedirs = refused
"""


def tried(read_only: bool) -> str:
    """What an import ends with, in a process that may write there or not."""
    words = DENY + "import rlcard.games.doudizhu"
    environment = os.environ | ({"READ_ONLY": "1"} if read_only else {"READ_ONLY": ""})
    done = subprocess.run([sys.executable, "-c", words], env=environment, capture_output=True, text=True, check=False)
    return "imported" if done.returncode == 0 else done.stderr.strip().splitlines()[-1].split(":")[0]


before = sorted(path.name for path in here.glob("jsondata*"))
first, writing = tried(True), tried(False)
files = len(list((here / "jsondata").iterdir())) if (here / "jsondata").is_dir() else 0
again = tried(True)
print(f"before: {before}; read-only: {first}; one that may write: {writing}, {files} files; read-only again: {again}")
assert before == ["jsondata.zip"], before
assert first != "imported", "changed: a read-only installation can be imported"
assert (writing, again) == ("imported", "imported")
assert files > 0
PYTHON
"$folder/venv/bin/python" "$folder/look.py"
