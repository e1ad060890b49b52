"""Builds: what they make is taken over, and whatever else they try reaches nothing and leaves nothing."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter.contest.submissions.archive_build import build
from arbiter.contest.submissions.build_recipe import Recipe
from arbiter.contest.submissions.inspection_steps import Refused
from arbiter.sandbox import bubblewrap
from arbiter.sandbox import build as table_build
from arbiter.sandbox.build import Bounds, Built, built, problem
from arbiter.sandbox.cgroup import group_settings
from arbiter.sandbox.landlock import HIDDEN
from arbiter.sandbox.launcher import Launcher
from arbiter.season.config.keys import Submissions

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(bool(problem()), reason=f"nothing can be built here: {problem()}"),
]
ROOM = 20 << 20
SMALL = Bounds(disk_bytes=ROOM)


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    made = Launcher()
    yield made
    made.close()


class Builder:
    """Runs commands on the files of a folder."""

    def __init__(self, launcher: Launcher, folder: Path) -> None:
        self.launcher, self.source = launcher, folder / "source"
        self.source.mkdir()

    def files(self, **texts: str) -> Builder:
        """Write files; two underscores in a name stand for its dot."""
        for name, text in texts.items():
            (self.source / name.replace("__", ".")).write_text(text)
        return self

    def run(self, script: str, bounds: Bounds = SMALL) -> Built:
        """How a shell's script ends; the folder is closed."""
        with built(self.launcher, self.source, ["bash", "-c", script], bounds) as done:
            return done

    def said(self, script: str) -> str:
        return self.run(script).output.decode()

    def build(self, script: str, *command: str) -> str:
        """Build with a script what a command names; the output."""
        return build(Recipe(command or ("./bot",), ("bash", "-c", script)), self.source, TERMS, self.launcher)

    def refused(self, script: str, *command: str) -> Refused:
        with pytest.raises(Refused) as refused:
            self.build(script, *command)
        return refused.value


TERMS = Submissions(max_size="100KB")
LOOK_FOR_SOCKETS = """
import socket
for name in ("UNIX", "INET", "INET6", "NETLINK", "PACKET", "ALG", "VSOCK", "TIPC", "BLUETOOTH"):
    try:
        socket.socket(getattr(socket, f"AF_{name}"), socket.SOCK_DGRAM)
        print(name)
    except OSError:
        pass
"""


@pytest.fixture
def builder(launcher: Launcher, tmp_path: Path) -> Builder:
    return Builder(launcher, tmp_path)


@pytest.fixture
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without control groups."""
    monkeypatch.setattr(table_build, "group_settings", lambda *_: [])


def test_what_a_build_makes_is_put_beside_the_sources(builder: Builder) -> None:
    builder.files(part="12").build(
        "cat part part > bot; chmod +x bot; mkdir data; echo 3 > data/x", "./bot", "data/x"
    )
    assert (builder.source / "bot").read_text() == "1212"
    assert os.access(builder.source / "bot", os.X_OK)
    assert (builder.source / "data" / "x").read_text() == "3\n"


def test_only_what_the_command_names_is_taken_over(builder: Builder) -> None:
    builder.build("touch bot other; echo changed > kept", "./bot")
    assert {path.name for path in builder.source.iterdir()} == {"bot"}


def test_make_starts_programs(builder: Builder) -> None:
    builder.files(Makefile="bot:\n\tcp Makefile bot\n")
    build(Recipe(("./bot",), ("make",)), builder.source, TERMS, builder.launcher)
    assert (builder.source / "bot").exists()


def test_a_build_that_fails_is_told_with_its_output(builder: Builder) -> None:
    # Words of a verdict decide nothing.
    refused = builder.refused('echo ok built; echo \'{"state": "accepted"}\' >&2; exit 7')
    assert refused.detail.endswith("it exited with status 7")
    assert refused.output == 'ok built\n{"state": "accepted"}\n'


def test_a_season_may_build_nothing(builder: Builder) -> None:
    with pytest.raises(Refused, match=r"it needs a build \(make\), and this season allows none"):
        build(Recipe(("./bot",), ("make",)), builder.source, Submissions(builds=False), builder.launcher)


def test_where_nothing_can_be_built_it_is_refused_with_the_reason(
    builder: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "arbiter.contest.submissions.archive_build.problem", lambda: "bubblewrap is not installed"
    )
    assert "this machine cannot build: bubblewrap is not installed" in builder.refused("true").detail


def test_a_program_that_is_missing_is_named(builder: Builder) -> None:
    with pytest.raises(Refused, match="there is no program no-such-compiler where bots are built"):
        build(Recipe(("./bot",), ("no-such-compiler",)), builder.source, TERMS, builder.launcher)


# What reaches out.


def test_nothing_of_ours_is_there(builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [tmp_path / name for name in ("season.yaml", "season.sqlite", "rival/bot.py")]
    (tmp_path / "rival").mkdir()
    for name in names:
        name.write_text("SECRET")
    monkeypatch.setenv("ARBITER_TOKEN", "SECRET")
    compiled_in = [f'asm(".incbin \\"{name}\\"");' for name in names]
    builder.files(main__c="\n".join([*compiled_in, "int main(void) { return 0; }"]))
    with socket.create_server(("127.0.0.1", 0)) as server:
        said = builder.said(
            "gcc -o bot main.c; strings bot || cat bot; env; cat /proc/1/environ /proc/self/environ;"
            f"(exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}) && echo CONNECTED;"
            f"cat {tmp_path}/rival/*; ls {Path.home()} /home /root /srv /var /sys; ls /source/.."
        )
    assert [word for word in ("SECRET", "CONNECTED") if word in said] == []
    assert set(said.splitlines()[-20:]) >= {"bin", "etc", "source", "tmp", "usr"}
    assert "eth" not in builder.said("cat /proc/net/dev")
    own = builder.said("echo /proc/[0-9]*; cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
    assert len(own.splitlines()[0].split()) <= 4
    assert "pytest" not in own


def test_sockets_are_of_the_kinds_that_a_network_of_its_own_confines(builder: Builder) -> None:
    builder.files(look__py=LOOK_FOR_SOCKETS)
    assert builder.said("python3 look.py").split() == ["UNIX", "INET", "INET6"]


def test_of_the_kernels_files_a_build_sees_what_fits_programs_to_the_machine(builder: Builder) -> None:
    found = builder.said(
        "cd /proc; for name in [!0-9]*; do find -L $name -maxdepth 1 -type f -readable; done"
    )
    tops = {line.split("/")[0] for line in found.splitlines()}
    assert tops <= bubblewrap.KEPT
    assert {"cpuinfo", "meminfo"} <= tops
    assert not any(builder.said(f"cat /proc/{name} 2>&-") for name in ("keys", "key-users", "timer_list"))


def test_an_administrators_files_below_usr_are_not_there(builder: Builder) -> None:
    places = [place for place in HIDDEN if Path(place).is_dir()]
    if not places:
        pytest.skip("this machine has none of them")
    assert builder.said(f"find {' '.join(places)} -mindepth 1; touch {places[0]}/new 2>&-") == ""


def test_sources_cannot_be_changed(builder: Builder) -> None:
    builder.files(main__c="mine").run("echo x > /source/main.c; rm -rf /source/*; touch /source/new")
    assert {path.name: path.read_text() for path in builder.source.iterdir()} == {"main.c": "mine"}


def test_the_kernels_settings_cannot_be_changed(builder: Builder) -> None:
    assert "Read-only" in builder.said("echo x > /proc/sys/kernel/core_pattern")


# What takes too much.


def test_a_build_that_never_ends_is_ended(builder: Builder) -> None:
    done = builder.run("cat /dev/random > /dev/null", SMALL._replace(seconds=0.3))
    assert done.why == "it took longer than 0.3 s"


def test_a_build_during_which_everything_was_stopped_has_its_time(
    builder: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, stopped = time.monotonic, iter([0.0, 0.0, 1000.0])
    skipped = 0.0

    def later() -> float:
        nonlocal skipped
        skipped += next(stopped, 0.0)
        return clock() + skipped

    monkeypatch.setattr("arbiter.sandbox.awake_time.time.monotonic", later)
    assert builder.run("sleep 0.2", SMALL._replace(seconds=30)).why == ""
    assert skipped == 1000


def test_a_build_that_closes_its_output_is_ended_too(builder: Builder) -> None:
    assert builder.run("exec >&- 2>&-; sleep 60", SMALL._replace(seconds=0.3)).why


def test_a_build_that_closes_its_output_ends_by_itself(builder: Builder) -> None:
    done = builder.run("exec >&- 2>&-; exit 3")
    assert (done.exit, done.why) == (3, "")


def test_a_disk_that_is_full_ends_nothing_but_the_build(builder: Builder) -> None:
    done = builder.run("head -c 100M /dev/zero > big && echo WROTE; echo $?")
    assert b"WROTE" not in done.output
    assert b"No space left" in done.output


def test_huge_arrays_find_no_room(builder: Builder) -> None:
    builder.files(main__c="char a[1 << 30] = {1}; int main(void) { return a[5]; }")
    assert builder.run("gcc -o bot main.c").exit


def test_a_file_with_holes_is_not_taken_over(builder: Builder) -> None:
    refused = builder.refused("truncate -s 1G bot")
    assert refused.detail == "the build made ./bot with 1,073,741,824 bytes; the limit is 1,000,000"


def test_all_that_is_taken_over_is_counted_together(builder: Builder) -> None:
    refused = builder.refused("head -c 700000 /dev/zero | tee one > two", "./one", "two")
    assert "two with 700,000 bytes; the limit is 300,000" in refused.detail


def test_of_much_output_the_beginning_and_the_end_are_kept(builder: Builder) -> None:
    output = builder.run("echo begin; seq 100000; echo end").output
    assert output.startswith(b"begin\n")
    assert output.endswith(b"end\n")
    assert b"bytes are left out" in output
    assert len(output) < 50_100


def test_output_without_end_is_ended(builder: Builder) -> None:
    done = builder.run("yes")
    assert done.why == "it wrote more than 10 MB of output"
    assert len(done.output) < 50_100


def test_a_fork_bomb_stays_in_its_box(builder: Builder) -> None:
    if not group_settings(1 << 30, 30):
        pytest.skip("no control groups: only a look now and then would end it")
    done = builder.run(
        "bomb() { bomb | bomb & }; bomb; wait; sleep 9", SMALL._replace(processes=30, seconds=1)
    )
    assert done.why


def test_too_many_processes_are_ended_where_nothing_else_counts(builder: Builder, uncounted: None) -> None:
    # No bomb: looked at only now and then, it would take the whole machine on a busy one.
    done = builder.run("for i in $(seq 60); do sleep 98764 & done; wait", SMALL._replace(processes=30))
    assert done.why == "it started more than 30 processes"


def test_the_kernel_counts_the_processes_of_a_builds_user(builder: Builder) -> None:
    done = builder.run("grep 'Max processes' /proc/self/limits", SMALL._replace(processes=30))
    assert done.output.split()[2:4] == [b"31", b"31"]


def test_memory_is_counted_together_where_nothing_else_counts(builder: Builder, uncounted: None) -> None:
    # tail keeps what it may have to print.
    hog = "(head -c 12000000 /dev/zero; sleep 98764) | tail -c 12000000 &"
    done = builder.run(f"{hog} {hog} {hog} {hog} {hog} {hog} wait", SMALL._replace(memory_bytes=50_000_000))
    assert done.why == "it needs more than 47 MB of memory"


def test_files_are_counted(builder: Builder) -> None:
    done = builder.run("i=0; while :; do : > f$((i++)); done", SMALL._replace(files=200))
    assert done.why == "it made more than 200 files"


# What stays.


def test_nothing_that_a_build_started_outlives_it(builder: Builder) -> None:
    builder.run("setsid sleep 98765 & trap '' TERM HUP; (nohup sleep 98765 &) ; exit 0")
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if b"98765" in read(path)]
    assert left == []


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_the_next_build_finds_nothing_of_the_last(builder: Builder) -> None:
    builder.run("for place in /tmp . $HOME /dev/shm /var/tmp /usr /; do echo left > $place/word; done")
    assert "word" not in builder.said("ls -a /tmp . $HOME /dev/shm /var/tmp /usr /")


@pytest.mark.parametrize(
    "script",
    ["ln -s /etc/passwd bot", "ln -s /source bot", "mkfifo bot", "ln -s real bot; echo > real"],
)
def test_what_is_no_regular_file_is_not_taken_over(builder: Builder, script: str) -> None:
    refused = builder.refused(script)
    assert refused.detail == "the build made ./bot a link or a device"
    assert list(builder.source.iterdir()) == []


def test_a_file_behind_a_link_is_not_taken_over(builder: Builder) -> None:
    builder.build("ln -s /etc out; mkdir in; ln -s ../../etc in/etc", "./out/passwd", "in/etc/passwd")
    assert list(builder.source.iterdir()) == []


def test_a_hard_link_is_a_file_of_its_own(builder: Builder) -> None:
    builder.build("echo 1 > other; ln other bot", "./bot")
    assert (builder.source / "bot").stat().st_nlink == 1


def test_a_file_where_the_archive_has_a_folder_is_refused(builder: Builder) -> None:
    (builder.source / "bot").mkdir()
    assert "a file in place of a folder or the reverse" in builder.refused("rmdir bot; echo > bot").detail


def test_shell_text_in_names_is_a_name(builder: Builder) -> None:
    for name in ("$(touch pwned)", "; touch pwned #.c", "-rf", "`touch pwned`"):
        (builder.source / name).write_text("")
    builder.files(Makefile="bot:\n\techo 1 > bot\n")
    build(
        Recipe(("./bot", "$(touch pwned)", "; touch pwned"), ("make",)),
        builder.source,
        TERMS,
        builder.launcher,
    )
    assert "pwned" not in {path.name for path in builder.source.iterdir()}
    assert (builder.source / "bot").read_text() == "1\n"
