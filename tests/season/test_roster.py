"""Who plays: versions that authors sent join the next round to be planned, and stay with the rounds they played."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from arbiter.cli import exit_code
from arbiter.cli.open_season import read_state
from arbiter.errors import ConfigError, VoidMatch
from arbiter.match.record import MatchRecord
from arbiter.match.spec import MatchSpec
from arbiter.sandbox.landlock import _installation_parts
from arbiter.season.administration import give_orders, reinstate, suspend
from arbiter.season.calendar import SeasonClock
from arbiter.season.config import Config, as_before, load
from arbiter.season.events import PlayersAwaited, RoundPlanned, SeasonComplete
from arbiter.season.results import SeasonResults
from arbiter.season.roster import folder_of
from arbiter.season.rounds import Rounds
from arbiter.season.schedule import TooFewPlayers
from arbiter.season.season import Season
from arbiter.season.verify import verify
from arbiter.season.verify_findings import FindingKind
from arbiter.store import OrderKind, SeasonStore, Store
from arbiter.store.versions import Submission
from tests.fixtures.commands import BOTS
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import play
from tests.fixtures.records import by_name, forfeited, play_round

if TYPE_CHECKING:
    from tests.fixtures.commands import Run

CONFIG = """\
season: s
game: planning
rounds: 9
seed: abc
weak_seed: true
suspend_after: 8
house_bots: [h0]
submissions: {}
players:
  - {name: h0, command: [python3], house: true}
"""
REASON = "its last 8 matches ended by its own fault"
OWN = "  - {name: p1, command: [python3]}\n"


class Contest:
    """A season that takes programs; matches are won by whose name comes last."""

    def __init__(self, folder: Path, text: str = CONFIG + OWN) -> None:
        self.file = folder / "s.yaml"
        self.file.write_text(text)
        self.store = Store(self.config.store)
        self.opened_season = self.opened()

    @property
    def config(self) -> Config:
        return load(self.file)

    @property
    def stored(self) -> SeasonStore:
        return self.opened_season.stored

    @property
    def results(self) -> SeasonResults:
        return self.opened_season.results

    def reopen(self) -> None:
        """As another process does."""
        self.opened_season = self.opened()

    def edit(self, old: str, new: str) -> None:
        self.file.write_text(self.file.read_text().replace(old, new))
        self.reopen()

    def opened(self) -> Season:
        """The season as another process finds it."""
        return Season.open(self.config, self.store)

    def send(self, author: str, text: str = "print()") -> Submission:
        """An author's new version, received."""
        if self.stored.authors.find(author) is None:
            self.stored.authors.add(author, author, author, False, "test")
        name = sha256(f"{author} {text}".encode()).hexdigest()
        source = folder_of(self.config) / name / "source"
        source.mkdir(parents=True)
        (source / "bot.py").write_text(text)
        return self.stored.submissions.add(author, name, name, 99)[0]

    def accept(
        self, author: str, text: str = "print()", words: Sequence[str] = (), **said: object
    ) -> Submission:
        """An author's new version, accepted and so active; `words` follow those of its command."""
        sent = self.send(author, text)
        files = {"source/bot.py": sha256(text.encode()).hexdigest()}
        program = {"command": ["python3", "bot.py", *words], "read": [], "files": files, **said}
        self.stored.submissions.accept(sent.id, [], program)
        return sent

    def plan(self) -> list[str]:
        """Who meets in the next round, houses left out."""
        plan = self.opened_season.rounds.plan()
        assert plan is not None
        return sorted(name for table in plan.stored.tables for name in table if not name.startswith("h0"))

    def play(self, faulty: str = "") -> dict[str, Any]:
        """The standings after a round, all of whose matches this player's fault ends."""

        def outcome(spec: MatchSpec) -> MatchRecord:
            names = sorted(player.name for player in spec.players)
            played = by_name(spec, {name: number for number, name in enumerate(names)})
            return forfeited(played, faulty)

        plan = self.opened_season.rounds.plan()
        assert plan is not None
        assert play_round(self.stored, plan, Scripted(outcome))
        return self.opened_season.rounds.finish(plan.stored.number)

    def settings(self, number: int) -> dict[str, dict[str, Any]]:
        """The players that a round was planned with, by registered name."""
        digest = self.stored.rounds()[number - 1].digest
        kept = self.stored.settings(digest)
        assert kept is not None
        return {player["name"]: player for player in kept["players"]}


@pytest.fixture
def contest(tmp_path: Path) -> Contest:
    return Contest(tmp_path)


def test_a_version_starts_in_its_own_folder_and_no_word_of_it_names_a_file_of_the_season(
    contest: Contest,
) -> None:
    sent = contest.accept("ann", words=("s.sqlite", "s.yaml"))
    contest.plan()
    source = folder_of(contest.config) / sent.file / "source"
    (ann,) = [entry.player for entry in contest.opened_season.config.entries if entry.player.name == "ann@1"]
    assert ann.command == ("python3", str(source / "bot.py"), "s.sqlite", "s.yaml")
    assert (ann.folder, ann.read, ann.files) == (str(source), (str(source),), (str(source / "bot.py"),))


def test_what_an_author_sent_starts_the_seasons_interpreter(contest: Contest) -> None:
    contest.file.write_text(contest.file.read_text() + "languages: {python3: /bin/sh}\n")
    contest.reopen()
    contest.accept("ann")
    contest.plan()
    commands = {entry.player.name: entry.player.command for entry in contest.opened_season.config.entries}
    assert commands["ann@1"][0] == commands["p1"][0] == "/bin/sh"


@pytest.fixture
def of_a_shell(contest: Contest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An accepted version whose interpreter stands in the season's folder."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to("/bin/sh")
    monkeypatch.setattr("arbiter.season.config.programs.search_path", lambda _: str(tmp_path / "bin"))
    contest.accept("ann")


@pytest.mark.usefixtures("of_a_shell")
@pytest.mark.parametrize("when", ["planned", "played"])
def test_no_round_is_planned_or_played_where_an_authors_program_could_read_the_season(
    contest: Contest, tmp_path: Path, when: str
) -> None:
    if when == "played":
        assert contest.plan() == ["ann@1", "p1"]
    (tmp_path / "lib").symlink_to(".")
    _installation_parts.cache_clear()
    with pytest.raises(ConfigError, match=f"the config is in {tmp_path}/lib, which ann@1 may read"):
        contest.plan()
    assert len(contest.stored.rounds()) == (when == "played")


@pytest.mark.usefixtures("of_a_shell")
@pytest.mark.parametrize("command", ["gauntlet --player ann@1", "console --from r001/t01/m0 --config"])
def test_no_version_that_could_read_the_season_plays_outside_of_it(
    contest: Contest, tmp_path: Path, arbiter: Run, command: str
) -> None:
    contest.play()
    (tmp_path / "lib").symlink_to(".")
    _installation_parts.cache_clear()
    code, _, err = arbiter(*command.split(), contest.file)
    said = f"the config is in {tmp_path}/lib, which ann@1 may read"
    assert (code, err.splitlines()[-1].count(said)) == (2, 1)


def test_what_is_not_accepted_does_not_play(contest: Contest) -> None:
    contest.send("ann")
    sent = contest.send("ben")
    contest.stored.submissions.refuse(sent.id, [])
    assert contest.plan() == ["p1"]


def test_without_the_key_nobodys_version_plays(contest: Contest) -> None:
    contest.accept("ann")
    contest.edit("submissions: {}\n", "")
    assert contest.plan() == ["p1"]


def test_a_round_is_kept_with_the_archives_digests(contest: Contest) -> None:
    sent = contest.accept("ann")
    contest.plan()
    player = contest.settings(1)["ann"]
    assert (player["version"], player["sha256"]) == (1, sent.sha256)
    assert player["command"] == ["python3", f"s.submissions/{sent.file}/source/bot.py"]
    assert "sha256" not in contest.settings(1)["p1"]


def test_what_authors_say_of_their_notes_goes_with_every_match(contest: Contest) -> None:
    contest.accept("ann", publish_notes=True)
    contest.accept("ben", publish_notes=False)
    contest.accept("cem")
    plan = contest.opened_season.rounds.plan()
    assert plan is not None
    said = {player.name: player.publish_notes for spec in plan.missing for player in spec.players}
    assert (said["ann@1"], said["ben@1"], said["cem@1"], said["p1"]) == (True, False, None, None)
    assert not any(spec.publish_notes for spec in plan.missing)
    # Nothing of it stands in the settings of those who say nothing, so their digest is what it was.
    assert "publish_notes" not in {**contest.settings(1)["cem"], **contest.settings(1)["p1"]}
    contest.file.write_text(contest.file.read_text() + "publish_notes: true\n")
    contest.reopen()
    again = contest.opened_season.rounds.plan()
    assert again is not None
    assert all(spec.publish_notes for spec in again.missing)
    then = {player.name: player.publish_notes for spec in again.missing for player in spec.players}
    assert then == said


def test_files_of_a_round_are_kept_by_their_digests(contest: Contest) -> None:
    sent = contest.accept("ann", "print(1)")
    contest.play()
    kept = contest.stored.programs()[1]["ann@1"]
    assert kept == {f"s.submissions/{sent.file}/source/bot.py": sha256(b"print(1)").hexdigest()}


def test_a_new_version_plays_from_the_next_round_and_has_a_rating_of_its_own(contest: Contest) -> None:
    contest.accept("ann")
    contest.play()
    contest.accept("ann", "better")
    matches = {row["player"]: row["matches"] for row in contest.play()["players"]}
    assert (matches["ann@1"], matches["ann@2"]) == (4, 4)


def test_an_earlier_version_plays_again_where_it_is_activated(contest: Contest) -> None:
    first = contest.accept("ann")
    contest.accept("ann", "worse")
    assert contest.plan() == ["ann@2", "p1"]
    contest.play()
    contest.stored.submissions.activate(first.id, "ann", 9)
    assert contest.plan() == ["ann@1", "p1"]


def test_what_comes_while_a_round_is_planned_joins_it(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Rounds.tables
    sent: list[Submission] = []

    def slow(rounds: Rounds, number: int) -> Any:
        planned = tables(rounds, number)
        if not sent:
            sent.append(contest.accept("ann"))
        return planned

    monkeypatch.setattr(Rounds, "tables", slow)
    assert contest.plan() == ["ann@1", "p1"]
    joined = contest.stored.submissions.one(sent[0].id)
    assert joined is not None
    assert joined.joins_round == 1


def test_a_round_that_is_planned_is_played_as_planned(contest: Contest) -> None:
    contest.accept("ann")
    contest.plan()
    contest.accept("ann", "late")
    contest.accept("ben")
    contest.reopen()
    assert contest.plan() == ["ann@1", "p1"]
    contest.play()
    assert contest.plan() == ["ann@2", "ben@1", "p1"]


def test_what_authors_send_needs_no_consent_and_the_organisers_changes_do(contest: Contest) -> None:
    contest.play()
    contest.accept("ann")
    contest.play()
    contest.edit("game: planning", "game: planning\ntime: 9s")
    with pytest.raises(
        ConfigError, match=r"the config has changed since round 2, which is complete: time: 10s -> 9s "
    ):
        contest.plan()


def test_a_suspension_follows_the_author(contest: Contest) -> None:
    contest.accept("ann")
    contest.play()
    suspend(contest.results, "ann@1", "asked the web")
    contest.accept("ann", "new")
    assert contest.plan() == ["p1"]
    contest.play()
    reinstate(contest.results, "ann")
    assert contest.plan() == ["ann@2", "p1"]


def test_a_new_version_ends_a_suspension_for_faults_and_an_earlier_one_does_not(contest: Contest) -> None:
    first = contest.accept("ann")
    for _ in range(2):
        contest.play(faulty="ann@1")
    assert contest.results.suspended() == {"ann@1": REASON}
    contest.accept("ann", "new")
    assert contest.results.suspended() == {}
    assert contest.plan() == ["ann@2", "p1"]
    contest.play()
    contest.stored.submissions.activate(first.id, "ann", 9)
    assert contest.results.suspended() == {"ann@1": REASON}
    assert contest.plan() == ["p1"]


def test_a_new_version_that_is_as_faulty_is_suspended_in_its_turn(contest: Contest) -> None:
    contest.accept("ann")
    for _ in range(2):
        contest.play(faulty="ann@1")
    contest.accept("ann", "no better")
    for _ in range(2):
        contest.play(faulty="ann@2")
    assert contest.results.suspended() == {"ann@2": REASON}
    assert contest.plan() == ["p1"]
    reinstate(contest.results, "ann")
    assert contest.plan() == ["p1"], "the round that was planned stays as it is"
    contest.play()
    assert contest.plan() == ["ann@2", "p1"]


def test_an_author_who_did_not_qualify_as_a_player_plays_with_what_was_inspected(contest: Contest) -> None:
    contest.play()
    contest.stored.authors.add("ann", "ann", "ann", False, "test")
    give_orders(contest.results, lambda _: [(OrderKind.FAILED, "ann", "it said nothing")])
    contest.accept("ann")
    assert contest.results.suspended() == {}
    assert contest.plan() == ["ann@1", "p1"]


def test_an_author_whom_an_organiser_suspends_sits_out_whatever_the_reason_says(contest: Contest) -> None:
    contest.play()
    contest.accept("ann")
    suspend(contest.results, "ann", "failed qualification: rules: broken")
    assert contest.plan() == ["p1"]


def test_standings_status_and_plan_say_the_same_of_who_sits_out(
    contest: Contest, capsys: pytest.CaptureFixture[str]
) -> None:
    def read_suspended() -> list[dict[str, str]]:
        found = []
        for command in ("standings", "status"):
            assert exit_code([command, str(contest.file), "--format", "json"]) == 0
            found.append(json.loads(capsys.readouterr().out)["suspended"])
        assert exit_code(["standings", str(contest.file)]) == 0
        text = capsys.readouterr().out
        assert ("is suspended" in text) is bool(found[0])
        return found

    contest.accept("ann")
    for _ in range(2):
        contest.play(faulty="ann@1")
    assert read_suspended() == [{"ann@1": REASON}] * 2
    contest.accept("ann", "new")
    assert read_suspended() == [{}] * 2
    suspend(contest.results, "ann", "asked the web")
    assert read_suspended() == [{"ann@2": "asked the web"}] * 2
    assert contest.plan() == ["p1"]


def test_a_season_with_versions_verifies(contest: Contest) -> None:
    contest.accept("ann")
    contest.play()
    contest.accept("ann", "better")
    contest.accept("ben")
    contest.play()
    found = [finding.text for finding in verify(contest.config, contest.stored)]
    assert not any("tables" in text for text in found)


def test_a_version_whose_files_are_gone_is_no_fault_of_its_authors(contest: Contest) -> None:
    sent = contest.accept("ann")
    source = folder_of(contest.config) / sent.file / "source"
    source.rename(source.with_name("away"))
    with pytest.raises(VoidMatch, match=r"player ann@1: there is no file .*bot\.py"):
        contest.play()
    suspend(contest.results, "ann", "its files are gone")
    assert contest.plan() == ["p1"]


def test_verify_tells_files_that_are_others_or_gone(contest: Contest) -> None:
    sent = contest.accept("ann")
    contest.play()
    file = folder_of(contest.config) / sent.file / "source" / "bot.py"
    file.write_text("better")
    (found,) = [one for one in verify(contest.config, contest.stored) if "bot.py" in one.text]
    assert (found.kind, found.text) == (
        FindingKind.DIFFERENCE,
        "source/bot.py of ann@1 is not the file that was accepted",
    )
    file.unlink()
    (found,) = [one for one in verify(contest.config, contest.stored) if "bot.py" in one.text]
    assert (found.kind, found.text) == (
        FindingKind.UNCHECKED,
        f"ann@1 cannot be played again: there is no file {file}",
    )


def test_stored_settings_are_a_file_that_reads_as_they_do(
    contest: Contest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = contest.accept("ann")
    contest.plan()
    contest.accept("ann", "later")
    assert exit_code(["config", str(contest.file), "--stored"]) == 0
    text = capsys.readouterr().out
    (player,) = [player for player in yaml.safe_load(text)["players"] if player["name"] == "ann"]
    assert (player["version"], player["sha256"]) == (1, sent.sha256)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "stored.yaml").write_text(text)
    again = load(tmp_path / "copy" / "stored.yaml", check_commands=True)
    assert again.digest == contest.stored.rounds()[0].digest
    assert again.entries[-1].player.files == contest.opened_season.config.entries[-1].player.files


def test_a_version_of_stored_settings_gives_way_to_the_authors_active_one(contest: Contest) -> None:
    contest.accept("ann")
    contest.plan()
    line = f"  - {{name: ann, version: 1, command: [python3], sha256: {'a' * 64}}}\n"
    contest.file.write_text(contest.file.read_text() + line)
    contest.accept("ann", "later")
    names = [entry.player.name for entry in contest.opened().config.entries]
    assert names == ["h0", "p1", "ann@2"]


def test_a_digest_that_is_none_is_refused(contest: Contest) -> None:
    contest.file.write_text(contest.file.read_text() + "  - {name: ann, command: [python3], sha256: 12}\n")
    with pytest.raises(ConfigError, match="sha256"):
        load(contest.file)


def test_settings_without_versions_have_the_digest_that_they_had(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(CONFIG + OWN)
    # A season begun before the file's usual rule for faults was another goes on under its own.
    assert (
        as_before(load(path), {}).digest == "2b04cd699c0ab1f845c793cf798ed578997902788a167018558c10976b9c8c16"
    )


def test_commands_that_only_look_see_versions_among_the_players(contest: Contest) -> None:
    contest.accept("ann")
    contest.plan()
    assert read_state(str(contest.file), None).players == {"h0": "house", "p1": "", "ann@1": ""}


def test_the_version_that_played_before_is_marked_as_withdrawn(
    contest: Contest, capsys: pytest.CaptureFixture[str]
) -> None:
    contest.accept("ann")
    contest.play()
    contest.accept("ann", "better")
    contest.play()
    assert exit_code(["standings", str(contest.file), "--format", "csv"]) == 0
    rows = {row["player"]: row for row in csv.DictReader(capsys.readouterr().out.splitlines())}
    assert "withdrawn" in rows["ann@1"].values()
    assert "withdrawn" not in rows["ann@2"].values()


def test_before_the_first_program_is_accepted_nobody_plays(tmp_path: Path) -> None:
    contest = Contest(tmp_path, CONFIG)
    with pytest.raises(ConfigError, match="no players yet: no program of an author has been accepted"):
        contest.plan()
    contest.accept("ann")
    assert contest.plan() == ["ann@1"]


def test_a_season_waits_for_the_first_program(tmp_path: Path) -> None:
    contest = Contest(tmp_path, CONFIG.replace("rounds: 9", "rounds: 1"))
    naps: list[float] = []

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            contest.accept("ann")

    opened_season = Season(contest.config, contest.stored, clock=SeasonClock(sleep=sleep))
    events = play(opened_season, lambda spec: by_name(spec, {p.name: 1 for p in spec.players}))
    assert [type(event) for event in events[:2]] == [PlayersAwaited, RoundPlanned]
    assert isinstance(events[-1], SeasonComplete)
    assert len(naps) == 3


def test_a_season_that_takes_no_more_programs_waits_for_none(tmp_path: Path) -> None:
    over = CONFIG.replace("submissions: {}", "submissions: {until: 2020-01-01T00:00:00Z}")
    with pytest.raises(TooFewPlayers):
        play(Contest(tmp_path, over).opened_season)


@pytest.mark.process
def test_authors_versions_are_checked_by_name(contest: Contest, capfd: pytest.CaptureFixture[str]) -> None:
    contest.accept("ann", (BOTS / "planning_random.py").read_text())
    short = "game: {name: planning, seats: 2, deals: [[1, 0]]}"
    contest.file.write_text(contest.file.read_text().replace("game: planning", short))
    assert exit_code(["check-bot", "--config", str(contest.file), "--player", "ann"]) == 0
    assert "ok matches" in capfd.readouterr().out


def test_authors_versions_are_counted_in_a_forecast(
    contest: Contest, capsys: pytest.CaptureFixture[str]
) -> None:
    contest.accept("ann")
    contest.accept("ben")
    assert exit_code(["plan", str(contest.file), "--format", "json", "--trial", "0"]) == 0
    assert json.loads(capsys.readouterr().out)["players"] == 4
