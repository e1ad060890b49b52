"""The README of a season's archive: how to verify it years later, and what is in it."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arbiter import __version__
from arbiter.season.package_wheel import NAME
from arbiter.text import counted

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.season.config import Config


@dataclass(frozen=True)
class ArchivedSeason:
    """What is in an archive: the season's name, whether for the public, counts, files that are missing."""

    name: str
    public: bool
    rounds: int
    matches: int
    missing: tuple[str, ...]


def readme(config: Config, archived: ArchivedSeason, store: Path, seed: str | None, commitment: str) -> str:
    """Return the text, as Markdown; `store` is a path in the archive, the `seed` None while it is secret."""
    return README.format(
        season=archived.name,
        game=config.game.title,
        rounds=counted(archived.rounds, "round"),
        matches=counted(archived.matches, "match"),
        version=__version__,
        python=platform.python_version(),
        commitment=commitment,
        seed="" if seed is None else f"- The seed: `{seed}`\n",
        store=store,
        wheel=NAME,
        contents=CONTENTS_PUBLIC if archived.public else CONTENTS,
        left_out=LEFT_OUT_PUBLIC if archived.public else LEFT_OUT,
    )


README = """\
# {season}

An archive of a season of {game}: {rounds}, {matches}, played with `arbiter` {version}.

- The SHA-256 of the seed: `{commitment}`
{seed}
## Verify it

On Linux with Python {python}, or the next later one for which the packages in `versions.txt` exist:

```sh
sha256sum -c --quiet SHA256SUMS
python3 -m venv venv
venv/bin/pip install -r versions.txt
venv/bin/arbiter verify season.yaml
venv/bin/arbiter standings season.yaml
venv/bin/arbiter show season.yaml r001/t01/m0
```

1. `sha256sum` prints nothing if no file has changed since the archive was made.
2. `verify` deals all cards again from the seed, plays all stored moves by the rules, and computes all
   ratings again. It prints each difference, and exits with 1 if there is one.
3. `printf %s SEED | sha256sum` prints the SHA-256 above. Compare it with what was published before the
   first match.
4. `versions.txt` installs `arbiter` from the wheel in this folder, and the packages that it needs from the
   package index. If it lacks one of these versions, `venv/bin/pip install './{wheel}[web]'`
   takes the versions of the day.
5. A later `arbiter` reads this store, too. Without any: `{store}` is a database of SQLite 3, and the column
   `record` of its table `matches` has JSON compressed by zlib.

## What is in it

{contents}
## What is not

{left_out}"""
CONTENTS = """\
- `season.yaml`: the settings of the last round. `original.yaml` is the season's file as it was written.
- `tree/`: the store, the programs of the season's file, and the archives of authors with the unpacked and
  built programs.
- `programs.json`: the SHA-256 of the files that the commands of the last round name, by player.
- `arbiter_cards-*.whl`: `arbiter` as it made this archive. `versions.txt`: all packages that it needs.
- `SHA256SUMS`: the SHA-256 of all files.

It has names, digests of tokens, standard error and the audit log. Keep it private.
"""
CONTENTS_PUBLIC = """\
- `season.yaml`: the settings of the last round, without commands.
- `store.sqlite`: deals, moves, charges, results, reasons, ratings, and the announcements with the questions
  answered to all: `venv/bin/arbiter announcements list season.yaml`.
- `programs.json`: the SHA-256 of the files that the commands of the last round name, by player.
- `arbiter_cards-*.whl`: `arbiter` as it made this archive. `versions.txt`: all packages that it needs.
- `SHA256SUMS`: the SHA-256 of all files.
"""
LEFT_OUT = """\
Login sessions, secrets of webhooks, matches on request, interpreters and the system's programs, symbolic
links.
"""
LEFT_OUT_PUBLIC = """\
Programs; commands and their variables; people, tokens, invitations, sessions, the audit log; standard error,
notes that are not published, raw replies except an illegal word, the reasoning of language models; integrity
reports, requests, void plays. A fault other than an illegal word is not judged again.
"""
