"""The command `rating`: what it prints, what it refuses, what it does not load."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rating
from rating.cli import main
from tests.rating.recorded_results import recorded, recorded_table

# Loaded by the command that needs them, never for a help text.
HEAVY = ("numpy", "scipy", "rich", "trueskill", "openskill", "rating.crosstable", "rating.fit.bayeselo")


def run(*words: object, text: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], input=text)


def loaded(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    table = recorded_table("small4")
    result = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}
    games = []
    columns = (table.first.tolist(), table.second.tolist(), table.outcome.tolist(), table.round.tolist())
    for a, b, outcome, number in zip(*columns, strict=True):
        white, black = table.players[a], table.players[b]
        tags = {"Event": "small4", "Round": number, "White": white, "Black": black, "Result": result[outcome]}
        games.append(
            "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{result[outcome]}\n\n"
        )
    file = tmp_path / "small4.pgn"
    file.write_text("".join(games))
    return file


@pytest.fixture
def season_file(tmp_path: Path) -> Path:
    file = tmp_path / "season.jsonl"
    assert run("simulate", "--players", 12, "--rounds", 14, "--matches", file).exit_code == 0
    return file


@pytest.mark.process
def test_help_is_quick() -> None:
    code = (
        "import sys; from rating.cli import main\n"
        "for words in (['--help'], ['fit', '--help'], ['los', '-h'], ['--version']):\n"
        "    try: main(words)\n    except SystemExit as end: assert not end.code\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", ["fit", "los", "pair", "simulate"])
def test_every_command_has_an_example(command: str) -> None:
    assert f"rating {command} " in run(command, "--help").stdout


def test_fit_as_json(pgn: Path) -> None:
    document = loaded(run("fit", pgn, "--format", "json"))
    assert set(document) >= {"drawelo", "advantage", "loglik", "prior", "intervals", "warnings"}
    expected = recorded("small4")["bayeselo"]["converged"]["nocolour_fit"]
    assert document["drawelo"] == pytest.approx(expected["drawelo"], abs=1e-8)
    assert (document["advantage"], document["prior"], document["intervals"]) == (0.0, 2.0, "round")
    assert document["clusters"] == 12
    line = document["players"][0]
    assert {"player", "elo", "sd", "low", "high"} <= set(line)
    assert {"games", "wins", "draws", "losses", "component"} <= set(line)
    assert line["elo"] == pytest.approx(max(expected["elo"]), abs=2e-6)
    assert line["games"] == 144 == line["wins"] + line["draws"] + line["losses"]


@pytest.mark.parametrize("kind", ["variance", "covariance", "exactdist"])
@pytest.mark.parametrize(("preset", "variant"), [("bayeselo", "default"), ("bayeselo-mm-1-1", "fit_both")])
def test_preset_as_json_is_unscaled(pgn: Path, preset: str, variant: str, kind: str) -> None:
    expected = recorded("small4")["bayeselo"]["converged"][variant]
    document = loaded(run("fit", pgn, "--preset", preset, "--intervals", kind, "--format", "json"))
    assert document["scale"] == pytest.approx(expected["default_scale"], abs=1e-8)
    assert document["preset"] == preset
    for line in document["players"]:
        k = int(line["player"][1:])
        assert line["elo"] == pytest.approx(expected["elo"][k], abs=2e-6)
        assert line["high"] - line["elo"] == pytest.approx(expected[f"plus_{kind}"][k], abs=2e-6)
        assert line["elo"] - line["low"] == pytest.approx(expected[f"minus_{kind}"][k], abs=2e-6)


def test_preset_as_text(pgn: Path) -> None:
    result = run("fit", pgn, "--preset", "bayeselo", "--prior", "2")
    assert result.stdout.splitlines()[0] == "Rank Name   Elo    +    - games score oppo. draws"
    assert result.stdout.splitlines()[1].split()[:4] == ["1", "p0", "123", "57"]
    assert result.stderr == ""


def test_options_change_a_preset(pgn: Path) -> None:
    words = ["fit", pgn, "--preset", "bayeselo", "--prior", "8", "--advantage", "0", "--drawelo", "fit"]
    document = loaded(run(*words, "--format", "json"))
    expected = recorded("small4")["bayeselo"]["converged"]["prior8"]
    assert document["drawelo"] == pytest.approx(expected["drawelo"], abs=1e-8)
    assert document["intervals"] == "variance"


def test_fit_as_text_and_csv(season_file: Path) -> None:
    words = ["fit", season_file, "--ranks", "--also", "trueskill", "--shuffles", "1"]
    lines = run(*words).stdout.splitlines()
    assert lines[0].split()[:5] == ["Rank", "Player", "Elo", "±", "95"]
    assert len({len(line) for line in lines[:13]}) == 1
    assert "intervals by round (14 rounds), 1008 results" in lines[13]
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv").stdout)))
    assert [row["rank"] for row in rows] == [str(k) for k in range(1, 13)]
    assert {"rank_best", "rank_worst", "trueskill_mu", "trueskill_sigma", "trueskill_spread"} <= set(rows[0])


def test_trueskill_as_json(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.write_text("a,b,1-0\nb,c,1-0\nc,a,1/2-1/2\na,b,1-0\n")
    document = loaded(run("fit", file, "--also", "trueskill", "--shuffles", "2", "--format", "json"))
    assert document["trueskill"]["shuffles"] == 2
    assert 0.0 < document["trueskill"]["draw_probability"] < 0.5
    assert set(document["players"][0]["trueskill"]) == {"mu", "sigma", "spread"}


def test_scores_against_the_equilibrium(season_file: Path) -> None:
    words = ["fit", season_file, "--also", "nash"]
    document = loaded(run(*words, "--format", "json"))
    assert document["nash"]["samples"] == 200 and 0 < document["nash"]["met"] <= 1
    scores = [player["nash"] for player in document["players"]]
    assert max(of["score"] for of in scores) == pytest.approx(0.5, abs=0.002)
    assert sum(of["share"] for of in scores) == pytest.approx(1, abs=0.001)
    assert all(of["low"] <= of["score"] + 0.05 and of["high"] <= 0.5 for of in scores)
    lines = run(*words).stdout.splitlines()
    assert lines[0].split()[-5:] == ["nash", "95", "%", "in", "it"]
    assert lines[1].count("%") == 3


def test_standard_input(pgn: Path) -> None:
    text = pgn.read_text()
    assert run("fit", "-", text=text).stdout == run("fit", pgn).stdout
    as_csv = run("fit", "-", text="a,b,1-0\nb,a,1-0\nb,a,1-0\n")
    assert as_csv.exit_code == 0
    assert [line.split()[1] for line in as_csv.stdout.splitlines()[1:3]] == ["b", "a"]


def test_los(pgn: Path, season_file: Path) -> None:
    document = loaded(run("los", pgn, "--preset", "bayeselo", "--format", "json"))
    expected = recorded("small4")["bayeselo"]["converged"]["default"]["los_1e7"]
    for a, row in zip(document["players"], document["los"], strict=True):
        for b, chance in zip(document["players"], row, strict=True):
            shown = 5_000_000 if a == b else expected[int(a[1:])][int(b[1:])]
            assert chance == pytest.approx(shown / 1e7, abs=2e-7)
    assert len(loaded(run("los", season_file, "--format", "json"))["los"]) == 12
    text = run("los", season_file, "--top", "3").stdout.splitlines()
    assert text[0].split() == ["Rank", "Player", "1", "2", "3"]
    assert len(text) == 4
    assert len(run("los", season_file, "--format", "csv").stdout.splitlines()) == 13


def test_pair(season_file: Path) -> None:
    words = ["pair", season_file, "--rule", "variance", "--size", "4", "--seed", "7"]
    document = loaded(run(*words, "--format", "json"))
    assert (document["rule"], document["seed"]) == ("variance", 7)
    assert sorted(name for seats in document["tables"] for name in seats) == sorted(
        line["player"] for line in loaded(run("fit", season_file, "--format", "json"))["players"]
    )
    assert run(*words).stdout.splitlines()[0] == f"table 1: {', '.join(document['tables'][0])}"
    assert len(run(*words, "--format", "csv").stdout.splitlines()) == 13
    some = loaded(run("pair", season_file, "--players", "p01,p02,p03,p04", "--format", "json"))
    assert len(some["tables"]) == 1
    refused = run("pair", season_file, "--size", "5")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "12 players do not fill tables of 5" in refused.stderr


def test_simulate() -> None:
    document = loaded(run("simulate", "--players", 8, "--rounds", 12, "--format", "json"))
    assert len(document["players"]) == 8
    assert 0.0 < document["tau"] <= 1.0
    assert document == loaded(run("simulate", "--players", 8, "--rounds", 12, "--format", "json"))
    assert "order (tau)" in run("simulate", "--players", 8, "--rounds", 12).stdout
    assert len(run("simulate", "--players", 8, "--rounds", 12, "--format", "csv").stdout.splitlines()) == 9
    assert run("simulate", "--players", 7).exit_code == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no results to rate"),
        ("white,black,result\n", "no results to rate"),
        ("a,a,1-0\n", "malformed"),
        ('{"players":["a"],"points":[1]}\n', "malformed"),
        ('{"players":["a","b"],"points":[1,0],"sides":[0,0]}\n', "no results to rate (2 players)"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "los", "pair"])
def test_nothing_to_rate(command: str, text: str, says: str) -> None:
    result = run(command, "-", text=text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr.splitlines()[-1]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "none.pgn"):
        result = run("fit", file)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        assert str(file) in result.stderr


def test_players_who_never_met() -> None:
    result = run("fit", "-", text="a,b,1-0\nc,d,0-1\n")
    assert result.exit_code == 0
    never_met = [line for line in result.stderr.splitlines() if "never met" in line]
    assert len(never_met) == 1
    assert never_met[0].startswith("note: 2 groups of players never met (those of a, c): ")
    assert "Group" in result.stdout


def test_malformed_games() -> None:
    text = "a,b,1-0\na,b,2-0\nb,a,1-0\na,b\n"
    refused = run("fit", "-", text=text)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.splitlines() == [
        "<stdin>:2: expected 1-0, 0-1 or 1/2-1/2, got '2-0'",
        "<stdin>:4: the row has no result: give white,black,result[,round[,table]]",
        "Error: 2 malformed games: correct them, or use --skip-bad",
    ]
    taken = run("fit", "-", "--skip-bad", "--format", "json", text=text)
    assert "<stdin>:2:" in taken.stderr
    assert (loaded(taken)["skipped"], loaded(taken)["results"]) == (2, 2)
    many = run("fit", "-", text="x\n" * 60)
    assert "... and 10 more malformed games" in many.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["--drawelo", "x"],
        ["--drawelo", "nan"],
        ["--drawelo", "1e-300"],
        ["--prior", "1e300"],
        ["--level", "0.9999999999999999"],
        ["--level", "1e-300"],
        ["--preset", "bayeselo", "--offset", "nan"],
        ["--preset", "bayeselo", "--offset", "inf"],
        ["--preset", "bayeselo", "--offset", "1e300"],
        ["--prior", "-1"],
        ["--level", "95"],
        ["--intervals", "rounds"],
        ["--preset", "elostat"],
        ["--also", "trueskill", "--shuffles", "0"],
        ["--ridge", "0"],
    ],
)
def test_options_out_of_range(words: list[str]) -> None:
    result = run("fit", "-", *words, text="a,b,1-0\n")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("words", [["--seed", "-1"], ["--spread", "1e308"], ["--spread", "nan"]])
def test_seasons_out_of_range(words: list[str]) -> None:
    result = run("simulate", "--players", 8, "--rounds", 2, *words)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


@pytest.mark.process
def test_a_terminal_gets_the_same_words(pgn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("fit", pgn).stdout
    monkeypatch.setenv("COLUMNS", "40")
    inner, outer = os.openpty()
    code = f"import sys; sys.argv = ['rating', 'fit', {str(pgn)!r}]; from rating.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], stdout=outer, stderr=subprocess.PIPE)
    os.close(outer)
    shown = b""
    with contextlib.suppress(OSError):  # how a closed terminal ends
        while some := os.read(inner, 65536):
            shown += some
    os.close(inner)
    assert done.returncode == 0
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).split() == plain.split()


def test_equals_share_a_rank_in_every_table() -> None:
    text = "a,b,1-0\na,c,1-0\na,d,1-0\nb,d,1-0\nc,d,1-0\n"
    for words in (["fit"], ["fit", "--preset", "bayeselo"], ["los"]):
        lines = run(*words, "-", text=text).stdout.splitlines()[1:5]
        assert [line.split()[:2] for line in lines] == [["1", "a"], ["2", "b"], ["2", "c"], ["4", "d"]]
    document = loaded(run("simulate", "--players", 8, "--rounds", 2, "--spread", 0, "--format", "json"))
    assert {line["true_rank"] for line in document["players"]} == {1}


def test_names_are_not_markup() -> None:
    result = run("fit", "-", text="[b]x,Zoë,1-0\n[b]x,Zoë,1-0\n")
    assert result.exit_code == 2  # it looks like PGN
    result = run("fit", "-", "--input", "csv", text="[b]x,Zoë,1-0\n")
    assert "[b]x" in result.stdout


def test_faults_by_policy(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    record = {"players": ["a", "b", "c", "d"], "points": [3, 2, 1, 0], "round": 1, "table": 1}
    file.write_text(json.dumps(record) + "\n" + json.dumps(record | {"forfeit": {"seat": 0}, "points": None}))
    assert loaded(run("fit", file, "--format", "json"))["results"] == 9
    assert loaded(run("fit", file, "--faults", "drop", "--format", "json"))["results"] == 6
    apart = loaded(run("fit", file, "--faults", "separate", "--format", "json"))
    assert apart["results"] == 6
    assert {line["player"]: line["faults"] for line in apart["players"]}["a"] == 1
    assert "Faults" in run("fit", file).stdout


def started(*words: str | Path, text: str = "", to: str | None = None, **surroundings: str) -> Any:
    """The command as a process, its output in a file if `to` names one."""
    with contextlib.ExitStack() as stack:
        output = subprocess.PIPE if to is None else stack.enter_context(open(to, "w"))
        return subprocess.run(
            [sys.executable, "-m", "rating", *map(str, words)],
            input=text.encode(),
            stdout=output,
            stderr=subprocess.PIPE,
            env=os.environ | surroundings,
        )


def test_half_a_character_in_a_name_is_a_malformed_game() -> None:
    text = '{"players":["a\\ud800","b"],"points":[1,0]}\n'
    result = run("fit", "-", text=text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "<stdin>:1: a name contains half of a surrogate pair" in result.stderr


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_a_terminal_that_lacks_a_character_gets_its_number(form: str) -> None:
    text = "Zoë,b,1-0\nb,Zoë,1-0\n" * 6
    done = CliRunner(charset="ascii").invoke(main, ["fit", "-", "--format", form], input=text.encode())
    assert done.exit_code == 0
    if form == "json":
        assert {line["player"] for line in json.loads(done.stdout)["players"]} == {"Zoë", "b"}
    elif form == "text":
        assert "Zo\\xeb" in done.stdout


@pytest.mark.process
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["fit", "-"], ["--help"]])
def test_an_output_that_fails_is_one_line(words: list[str]) -> None:
    done = started(*words, text="a,b,1-0\n", to="/dev/full")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert done.stderr.startswith(b"Error: cannot write: ")


def test_names_cannot_steer_the_terminal() -> None:
    record = {"players": ["\x1b[2Jevil", "b\nc", "c", "d"], "points": [3, 2, 1, 0]}
    text = "".join(json.dumps(record | {"id": f"m{k}"}) + "\n" for k in range(12))
    for words in (["fit"], ["fit", "--preset", "bayeselo"], ["los"], ["pair"]):
        result = run(*words, "-", text=text)
        assert result.exit_code == 0
        assert "\x1b" not in result.stdout + result.stderr
        assert "\\x1b[2Jevil" in result.stdout
        assert "b\\nc" in result.stdout
    refused = run("fit", "-", text="\x1b[2J,\x1b[2J,1-0\n")
    assert refused.exit_code == 2
    assert "\x1b" not in refused.stderr


def test_newcomers_of_a_round_are_named(season_file: Path) -> None:
    result = run("pair", season_file, "--players", "p01,p02,new", "--player", "Tal, Mihail", "--size", "2")
    assert result.exit_code == 0
    assert f"note: new, not in {season_file}: new, Tal, Mihail" in result.stderr.splitlines()
    assert "Tal, Mihail" in result.stdout
    assert (
        "new, not in"
        not in run("pair", season_file, "--player", "p01", "--player", "p02", "--size", "2").stderr
    )


def test_the_first_round_can_be_drawn_without_results() -> None:
    words = ["pair", "-", "--rule", "random", "--players", "a,b,c,d"]
    document = loaded(run(*words, "--format", "json", text=""))
    assert sorted(document["tables"][0]) == ["a", "b", "c", "d"]
    assert run("pair", "-", "--rule", "random", text="").exit_code == 2
    assert run("pair", "-", "--players", "a,b,c,d", text="").exit_code == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--preset", "bayeselo", "--ranks"], "--ranks ignored"),
        (["--preset", "bayeselo", "--also", "trueskill"], "--also ignored"),
        (["--offset", "5"], "--offset ignored"),
        (["--preset", "bayeselo", "--format", "json", "--offset", "5"], "--offset ignored"),
        (["--shuffles", "3", "--seed", "x"], "--shuffles and --seed ignored"),
    ],
)
def test_options_that_mean_nothing_are_named(pgn: Path, words: list[str], says: str) -> None:
    result = run("fit", pgn, *words)
    assert result.exit_code == 0
    assert [line for line in result.stderr.splitlines() if says in line]


def test_the_version_needs_no_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    assert run("--version").stdout == f"rating {metadata.version('arbiter-cards')}\n"
    monkeypatch.setattr(metadata, "version", missing)
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, "rating (not installed)\n")


def test_points_are_null_where_no_result_told_them(pgn: Path, season_file: Path) -> None:
    assert {line["points"] for line in loaded(run("fit", pgn, "--format", "json"))["players"]} == {None}
    assert None not in {
        line["points"] for line in loaded(run("fit", season_file, "--format", "json"))["players"]
    }
    rows = list(csv.DictReader(io.StringIO(run("fit", pgn, "--format", "csv").stdout)))
    assert {row["points"] for row in rows} == {""}


# numpy and scipy take a quarter of a second, which only those who compute should wait for.


def loaded_by(code: str) -> set[str]:
    code += "; import sys; print(*{'numpy', 'scipy', 'threadpoolctl'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.process
def test_names_that_compute_nothing_load_nothing() -> None:
    names = "rating.Rating; rating.rank; rating.rule_of_round; rating.PRESETS; rating.Run; rating.RatingError"
    modules = (
        "import rating, rating.notices, rating.cli.report, arbiter.season.ledger, arbiter.season.round_plan"
    )
    assert loaded_by(f"{modules}; {names}; rating.Match(('a', 'b'), (1, 0))") == set()


@pytest.mark.process
def test_a_table_needs_no_scipy() -> None:
    assert "scipy" not in loaded_by(
        "import rating; rating.PairTable.from_results('ab', [0, 1], [1, 0], [1, 0]).pairs()"
    )


def test_every_public_name_is_there() -> None:
    assert all(getattr(rating, name) is not None for name in rating.__all__)
    assert set(rating.__all__) <= set(dir(rating))


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rating.nonsense
