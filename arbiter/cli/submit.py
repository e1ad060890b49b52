"""`submit`: a program sent to a site, and what was found of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.output import say
from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VARIABLE = "ARBITER_TOKEN"


@click.command()
@click.argument("url")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--season", required=True, help="Its name on the site.")
@click.option(
    "--token-file", type=click.Path(path_type=Path), help=f"Holds the token.  [default: {VARIABLE}]"
)
@click.option("--no-wait", is_flag=True, help="Do not wait for the verdict.")
def submit(url: str, path: Path, season: str, token_file: Path | None, no_wait: bool) -> None:
    """Send a program, a folder or a ZIP file, to a site, and wait for the verdict.

    Prints a line for each state, and what each step found. Exit 0: accepted; 3: refused; 2: the file, the
    token or the season is wrong; 1: no site answers.

    Example: arbiter submit http://127.0.0.1:8000/ mybot/ --season demo --token-file my.token
    """
    from arbiter.submissions.sending import Site, pack

    site = Site(url, season, _token(token_file))
    with tempfile.TemporaryFile() as archive:
        pack(path, archive)
        size = archive.tell()
        archive.seek(0)
        made = site.send(archive, size)
    say(f"version {made.get('version')}, {size} bytes")
    if no_wait:
        say(str(made.get("state")))
        return
    last: Mapping[str, Any] = {}
    said: list[str] = []
    for last in site.states(made.get("id")):
        for line in list(_lines(last))[len(said) :]:
            said.append(line)
            say(line)
    if last.get("state") != "accepted":
        raise BotCheckFailed(f"version {made.get('version')} is {printable(str(last.get('state')))}")


def _token(file: Path | None) -> str:
    if file is None:
        token = os.environ.get(VARIABLE, "").strip()
        if not token:
            raise ConfigError("there is no token", hint=f"give --token-file, or set {VARIABLE}")
        return token
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", str(file)) from None
    except UnicodeDecodeError:
        raise ConfigError("holds no token", str(file)) from None


def _lines(submission: Mapping[str, Any]) -> Iterator[str]:
    """A line for each state so far, with what its step found, and at the end the verdict."""
    yield "received"
    for step in submission.get("steps", ()):
        name, detail = (printable(str(step.get(key, ""))) for key in ("name", "detail"))
        yield (name if step.get("ok") else f"FAIL {name}") + (f": {detail}" if detail else "")
        if fix := step.get("fix"):
            yield f"  what helps: {printable(str(fix))}"
        if not step.get("ok") and (output := step.get("output")):
            yield from (f"  | {line}" for line in printable(str(output)).splitlines())
    if submission.get("state") == "accepted":
        # Sites of earlier versions told the round alone.
        words = submission.get("say") or f"plays from round {submission.get('joins_round')} on"
        yield f"accepted: {printable(str(words))}"
    elif submission.get("state") == "refused":
        yield "refused"
