#!/usr/bin/env bash
# Mojo 1.2.0 (PyPI), Linux x86_64, seen 2026-11-29.
#
# Behaviour: each call of the builtin input() makes a new reader of standard input, which reads as much as it gets (up
# to 4096 bytes), returns the first line and drops the rest with itself; its copy of the descriptor stays open. So of
# lines that come at once, from a file or a pipe, only the first is read, and the second input() reports the end of the
# input. If each line comes after the one before was read, as from a keyboard, all are read, until the process has no
# descriptor left: with 64 allowed, before the 64th line.
# Output seen: three lines from a file "got a", then "Unhandled exception caught during execution: EOF", exit code 1;
# from a pipe with pauses "got a", "got b", "got c"; 100 lines one by one under `ulimit -n 64`: fewer than 64.
# Who meets it: programs that solve exercises or play by a line protocol, tried by hand and then run by a judge that
# writes the whole input, or several lines, at once. One reader for the whole program, as in reader.mojo below, reads all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mojo==1.2.0
cd "$folder"
cat > echo.mojo <<'MOJO'
def main() raises:
    while True:
        var line = input()
        if line == "end":
            break
        print("got", line, flush=True)
MOJO
cat > reader.mojo <<'MOJO'
from std.io.io import _fdopen
from std.sys import stdin


def main() raises:
    with _fdopen["r"](stdin) as reader:
        while True:
            var line = reader.readline()
            if line == "end":
                break
            print("got", line, flush=True)
MOJO
for program in echo reader; do
    venv/bin/mojo build -o $program $program.mojo 2> build.log || { cat build.log; exit 1; }
done
venv/bin/python - <<'PYTHON'
import resource
import subprocess


def at_once(lines, program="./echo"):
    """Exit code and output for an input that is there as a whole."""
    done = subprocess.run(program, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True)
    return done.returncode, done.stdout.split("\n")[:-1]


def one_by_one(lines, descriptors=1024):
    """The output if each line is written after the one before was echoed."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    program = subprocess.Popen(
        "./echo", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit
    )
    echoed = []
    for line in lines:
        try:
            program.stdin.write(f"{line}\n")
            program.stdin.flush()
        except BrokenPipeError:
            break
        if not (answer := program.stdout.readline()):
            break
        echoed.append(answer.rstrip("\n"))
    program.kill()
    program.communicate()
    return echoed


lines = ["a", "b", "c"]
print("at once:", at_once([*lines, "end"]))
print("one by one:", one_by_one(lines))
many = one_by_one(map(str, range(100)), descriptors=64)
print("one by one, 64 descriptors:", len(many), "of 100 lines")
assert at_once([*lines, "end"]) == (1, ["got a"])
assert at_once([*lines, "end"], "./reader") == (0, ["got a", "got b", "got c"])
assert one_by_one(lines) == ["got a", "got b", "got c"]
assert 40 < len(many) < 64
PYTHON
