"""`authors`, `submit`: manage authors; submit a program and follow its inspection."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.options import (
    CommandGroup,
    config_argument,
    season_options,
    season_output_options,
    store_option,
)
from arbiter.cli.output import note, print_csv, print_json, print_table, say
from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

VARIABLE = "ARBITER_TOKEN"
_NO_TERMS = "{} has no `submissions:` yet, so no program can be submitted (write submissions: {{}})"

token_option = click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help=f"File with the token.  [default: the variable {VARIABLE}]",
)


@click.group(cls=CommandGroup)
def authors() -> None:
    """Manage the authors who may submit programs.

    Example: arbiter authors add configs/demo.yaml alice
    """


@authors.command()
@config_argument
@click.argument("name", required=False)
@click.option("--organiser", is_flag=True, help="Also let the author administrate the season.")
@click.option("--csv", "file", type=click.Path(), help="Add the authors in the first column of a file.")
@click.option("--codes", type=click.Path(), help="Write the students' tokens to this new file, mode 0600.")
@click.option("--team-size", type=click.IntRange(1, 8), help="Most students in a team.  [default: 8]")
@store_option
def add(
    config: str,
    name: str | None,
    organiser: bool,
    file: str | None,
    codes: str | None,
    team_size: int | None,
    store_url: str | None,
) -> None:
    """Add an author, and print the token, which is shown only once.

    With --csv the first line of FILE is the heading, and the tokens are printed as CSV: name,token. With the
    columns team, student and, if you like, email, each team becomes an author with its students as members,
    and each student gets a token: team,student,email,token. Students added before are left as they are. If
    a line is wrong, no author is added.

    Example: arbiter authors add configs/demo.yaml alice > alice.token
    """
    from arbiter.contest.submissions.author_accounts import add_authors
    from arbiter.contest.submissions.class_list import Enrolled, class_rows, new_students, read_rows
    from arbiter.season.config import load
    from arbiter.season.season import Season
    from arbiter.store import Store
    from arbiter.store.audit import CONSOLE
    from arbiter.store.people import MOST_PEOPLE

    if (name is None) == (file is None):
        raise ConfigError("expected either NAME or --csv FILE")
    rows = [] if file is None else read_rows(file)
    students = None if file is None else class_rows(rows)
    if students is None and (codes or team_size):
        raise ConfigError("--codes and --team-size need a file with the columns team and student", file or "")
    if students is not None and organiser:
        raise ConfigError("--organiser cannot be combined with teams: organisers have no members")
    names = [row[0] for _, row in rows[1:]] if name is None else [name]
    settled = load(config, check_store=store_url is None)
    with closing(Store(store_url or settled.store)) as store:
        season = Season.open(settled, store).stored
        if students is not None and file is not None:
            people, given = new_students(settled, season, students, file, team_size or MOST_PEOPLE)
            if given:
                with _written_first(codes, Enrolled._fields, given):
                    season.members.enrol(people, CONSOLE)
            teams = counted(len({one.player for one in people if one.is_new}), "team")
            note(f"{teams} and {counted(len(given), 'student')} added of {counted(len(students), 'line')}")
        else:
            tokens = add_authors(settled, season, names, organiser, CONSOLE)
    if settled.submissions is None and not organiser:
        note(_NO_TERMS.format(config))
    if students is not None:
        return
    if file is None:
        say(tokens[0][1])
        return
    note(f"{counted(len(tokens), 'author')} added; the first line of {file} is read as the heading")
    print_csv(("name", "token"), tokens)


@contextmanager
def _written_first(path: str | None, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[None]:
    """Write CSV to a new file that only its owner may read, deleted if the block fails; without a path print
    it after the block."""
    if path is None:
        yield
        print_csv(columns, rows)
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "w", encoding="utf-8", newline="") as file:
                print_csv(columns, rows, file)
            yield
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", path, "name a new file") from None


@authors.command()
@click.option(
    "--uses", type=click.IntRange(1, 10_000), default=1, show_default=True, help="How many may join with it."
)
@click.option("--player", help="Let them join this player; valid for a week.")
@season_options
def invite(config: str, uses: int, player: str | None, store_url: str | None) -> None:
    """Print an invitation code, with which authors join a season on the site's page /join.

    Each use creates an author, who chooses a name and receives a token; with --player it adds a member to
    that author, with a separate token.

    Example: arbiter authors invite configs/demo.yaml --uses 60
    """
    from arbiter.contest.submissions.author_accounts import invite as make_code
    from arbiter.contest.submissions.author_accounts import invite_to
    from arbiter.season.config import load
    from arbiter.season.season import Season
    from arbiter.store import Store
    from arbiter.store.audit import CONSOLE

    settled = load(config, check_store=store_url is None)
    with closing(Store(store_url or settled.store)) as store:
        season = Season.open(settled, store).stored
        code = (
            make_code(season, uses, CONSOLE) if player is None else invite_to(season, player, uses, CONSOLE)
        )
    if settled.submissions is None:
        note(_NO_TERMS.format(config))
    say(code)


@authors.command("list")
@season_output_options
def list_(config: str, store_url: str | None, style: str) -> None:
    """List the authors with their members, versions, and the version that plays.

    Example: arbiter authors list configs/demo.yaml
    """
    from arbiter.cli.open_season import open_stored

    season = open_stored(config, store_url)[1]
    people = season.members.all()
    found: list[dict[str, Any]] = [
        {
            "name": author.name,
            "organiser": author.organiser,
            "since": author.created,
            "versions": author.versions,
            "active": author.active,
            "revoked": not author.alive,
            "members": [{"name": one.name, "since": one.created} for one in people.get(author.name, [])],
        }
        for author in season.authors.all()
    ]
    if style == "json":
        print_json(found)
    elif found:
        rows = []
        for author in found:
            marks = ", ".join(what for what in ("organiser", "revoked") if author[what])
            plays, members = author["active"] or "-", [one["name"] for one in author["members"]]
            several = ", ".join(members) if members not in ([], [author["name"]]) else ""
            rows.append([author["name"], author["since"], author["versions"], plays, marks, several])
        print_table(["author", "since", "versions", "plays", "note", "members"], rows, left=(0, 1, 4, 5))
    else:
        say("no authors yet")


@authors.command()
@config_argument
@click.argument("name")
@store_option
def revoke(config: str, name: str, store_url: str | None) -> None:
    """Revoke an author's token and sessions, and drop the versions that never played.

    The author's program keeps playing. The tokens of all the author's members are revoked.

    Example: arbiter authors revoke configs/demo.yaml alice
    """
    from arbiter.cli.open_season import open_stored
    from arbiter.contest.submissions.archive_storage import remove
    from arbiter.contest.submissions.author_accounts import revoke as take_away
    from arbiter.store.audit import CONSOLE

    settled, season = open_stored(config, store_url)
    gone = take_away(season, name, CONSOLE)
    for file in gone:
        remove(settled, file)
    dropped = f", {counted(len(gone), 'version')} that never played dropped" if gone else ""
    note(f"the token of {name} is revoked{dropped}; to stop its program too, use `arbiter suspend`")


@authors.command()
@config_argument
@click.argument("player")
@click.argument("member")
@store_option
def remove(config: str, player: str, member: str, store_url: str | None) -> None:
    """Remove a member of an author, and revoke the member's token and sessions.

    The first member has the author's name.

    Example: arbiter authors remove configs/demo.yaml alice bob
    """
    from arbiter.cli.open_season import open_stored
    from arbiter.contest.submissions.author_accounts import remove as take_out
    from arbiter.store.audit import CONSOLE

    take_out(open_stored(config, store_url)[1], player, member, CONSOLE)
    note(f"{member} no longer acts for {player}")


@authors.command()
@config_argument
@click.argument("name")
@click.argument("member", required=False)
@store_option
def renew(config: str, name: str, member: str | None, store_url: str | None) -> None:
    """Print a new token for an author, and revoke the old one and its sessions.

    With MEMBER, for this member of the author.

    Example: arbiter authors renew configs/demo.yaml alice > alice.token
    """
    from arbiter.cli.open_season import open_stored
    from arbiter.contest.submissions.author_accounts import renew as give_another
    from arbiter.store.audit import CONSOLE

    say(give_another(open_stored(config, store_url)[1], name, CONSOLE, member))


@click.command()
@click.argument("url")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--season", required=True, help="The season's name on the site.")
@token_option
@click.option("--no-wait", is_flag=True, help="Do not wait for the verdict.")
def submit(url: str, path: Path, season: str, token_file: Path | None, no_wait: bool) -> None:
    """Submit a program to a site and wait for the verdict.

    PATH is a folder or a ZIP file. Each step of the inspection is printed with its result. Exit 0: accepted;
    3: refused; 2: the file, the token or the season is wrong; 1: the site does not answer.

    Example: arbiter submit http://127.0.0.1:8000/ mybot/ --season demo --token-file my.token
    """
    from arbiter.contest.submissions.client import Site, pack

    site = Site(url, season, token_of(token_file))
    with tempfile.TemporaryFile() as archive:
        pack(path, archive)
        size = archive.tell()
        archive.seek(0)
        made = site.send(archive, size)
    say(f"version {made.get('version')}, {size} bytes")
    if made.get("judged"):
        say(f"submitted before: the verdict is from {printable(str(made['judged']))}")
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


def token_of(file: Path | None) -> str:
    """Read the token from a file, or from the environment; ConfigError without one."""
    if file is None:
        token = os.environ.get(VARIABLE, "").strip()
        if not token:
            raise ConfigError("no token", hint=f"give --token-file, or set {VARIABLE}")
        return token
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        hint = "--token-file names the file with your token"
        raise ConfigError(f"the token cannot be read: {error.strerror}", str(file), hint) from None
    except UnicodeDecodeError:
        hint = "put there what `arbiter authors add` printed"
        raise ConfigError("does not contain a token", str(file), hint) from None


def _lines(submission: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each step so far, with its result, then the verdict if there is one."""
    yield "received"
    for step in submission.get("steps", ()):
        name, detail = (printable(str(step.get(key, ""))) for key in ("name", "detail"))
        yield (name if step.get("ok") else f"FAIL {name}") + (f": {detail}" if detail else "")
        if fix := step.get("fix"):
            yield f"  fix: {printable(str(fix))}"
        if not step.get("ok") and (output := step.get("output")):
            yield from (f"  | {line}" for line in printable(str(output)).splitlines())
    if submission.get("state") == "accepted":
        # Sites of earlier versions send only the round.
        words = submission.get("say") or f"plays from round {submission.get('joins_round')} on"
        yield f"accepted: {printable(str(words))}"
    elif submission.get("state") == "refused":
        yield "refused"
