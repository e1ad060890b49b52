"""`console`: a referee by hand, from scripts of its commands; and the way back to a recorded crash."""

from __future__ import annotations

import json
import re
import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.cli.match_text import moves_before_fault
from arbiter.errors import IllegalAction
from arbiter.games import find
from arbiter.games.planning import Planning
from arbiter.match.clock import TimeControl
from arbiter.match.exchange import Reply
from arbiter.match.protocol import Connection
from arbiter.match.spec import Limits
from arbiter.store import Store, db_schema
from arbiter.table.interactive import verbs
from arbiter.table.interactive.console import entry_line
from arbiter.table.interactive.interactive_match import InteractiveMatch
from arbiter.table.interactive.occupants import Occupant, Person, RandomPlayer, SeatCommand
from arbiter.table.interactive.setup import Setup, Stop, TranscriptEntry
from arbiter.table.single_bot import RawReply
from arbiter.testing import match_spec, play_by_policy, play_in_memory, random_policy
from tests.fixtures.commands import BOTS, RANDOM

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.match.record import MatchRecord
    from tests.fixtures.commands import Run

    Told = Callable[..., str]

BY_LOT = f"{sys.executable} -I -S {BOTS / 'planning_random.py'}"
"""Draws the lots of the golden session."""
SHORT = ("--game", "planning", "--option", "deals=[[1, 0], [2, 1]]", "--seed", "1", "--isolation", "plain")
GAME = Planning(deals=[(1, 0), (2, 1), (3, 2)])

# A bot that answers well; {each} runs for every command and may do as it pleases.
TEMPLATE = """
import os, sys, time
hand, table, moves = [], [], 0
for line in sys.stdin:
    words = line.split()
    answer = "="
    if words[0] == "set_cards":
        hand, table = words[2:], []
    elif words[0] == "play":
        table.append(words[2])
        hand = [card for card in hand if card != words[2]]
        table = table[:len(table) % 4 and len(table)]
    elif words[0] == "gen_declare":
        answer = "= 0"
    elif words[0] == "gen_move":
        moves += 1
        answer = "= " + ([card for card in hand if table and card[1] == table[0][1]] or hand)[0]
    {each}
    print(answer + "\\n", flush=True)
    if words[0] == "quit":
        break
"""


@pytest.fixture
def console(arbiter: Run) -> Callable[..., list[str]]:
    """A session: the lines after the list of seats, times taken out."""

    def call(script: str, *arguments: str | Path) -> list[str]:
        code, out, err = arbiter("console", *(arguments or SHORT), script=script)
        assert (code, err) == (0, ""), err
        return re.sub(r"\d+\.\d ms", "T ms", out).splitlines()

    return call


@pytest.fixture
def bot(tmp_path: Path) -> Told:
    """Writes a bot that does something odd; its command."""

    def write(each: str = "pass", name: str = "bot") -> str:
        path = tmp_path / f"{name}.py"
        path.write_text(TEMPLATE.format(each=each))
        return f"{sys.executable} -I -S {path}"

    return write


SESSION = """\
# from a script, comments are for its readers
greet
deal
state
step 5
hands
trick
undo 3
go deal
raw 0 hello
raw 1 time_left 5
go
transcript 2
new
set seats=2 deck="789 AB" deals=[[2,1]]
seat 1 human
go
9B
play 8A for 1
1
hands
undo
seat 1 random
go
seed 2
step
quit
"""


@pytest.mark.process
def test_a_session(console: Callable[..., list[str]], golden: Callable[[str, str], None]) -> None:
    lines = console(SESSION, *SHORT, "--seat", f"bot:{BY_LOT}", "--seat", f"bot:{BY_LOT} --seed 7")
    text = re.sub(r"time_left \d{4}\b", "time_left 9999", "\n".join(lines)).replace(
        BY_LOT, "planning_random.py"
    )
    golden("console_session.txt", text + "\n")


def test_help_names_every_command(console: Callable[..., list[str]]) -> None:

    text = "\n".join(console("help\n"))
    assert all(re.search(rf"\b{name}\b", text) for name in verbs.command_words() if name != "help")


def test_mistakes_are_told_and_change_nothing(console: Callable[..., list[str]]) -> None:
    wrong = {
        "stepp": "no such command: stepp (did you mean step?; help lists them)",
        "stepp 2": "no such command: stepp (did you mean step?; help lists them)",
        "step two": "expected a number, got 'two'",
        "raw 7 quit": "'7' is not a seat from 0 to 3",
        "go home": "go home: write go, or go deal",
        "play 9": "a declaration is an integer from 0 to 1",
        "play 1 for 2": "it is the turn of seat 0, not of seat 2",
        "seat 1 cat": "seat: expected bot:COMMAND, human or random, got 'cat'",
        "raw": "write raw SEAT COMMAND, such as raw 0 time_left 5000",
        "raw 0": "write raw SEAT COMMAND, such as raw 0 time_left 5000",
        "seat 1 bot:./none": "bot:./none: there is no program ./none",
        "seat 1 bot:": "bot: expected a command, as in bot:python3 bot.py",
        'seat 1 bot:"': 'bot:": No closing quotation',
        "set deals=[[2,0]": "set deals: the value cannot be read: '[[2,0]'",
        "set deals": "set 'deals': expected key=value",
        "set colour=red": "colour: unknown option of planning (known: seats, deck, deals)",
        'set deck="': "No closing quotation",
        "deals none.json": "none.json: cannot be read: No such file or directory",
        "quit now": "quit takes no arguments, got 'now'",
    }
    lines = console("deal\n" + "".join(f"{line}\n" for line in wrong) + "state\n")
    for line, words in wrong.items():
        assert lines[lines.index(f"> {line}") + 1] == words
    assert "deal 1 (starter 0), after 0 decisions" in lines


def test_a_word_that_is_neither_an_answer_nor_a_command_leads_to_help(
    console: Callable[..., list[str]],
) -> None:
    script = "go\nshow\n/quit\n9\n0\nexit\nstate\n"
    lines = console(script, *SHORT, "--seat", "human")
    for word, most in (("show", "the number of cards"), ("/quit", "the number of cards"), ("9", "1")):
        said = lines[lines.index(f"> {word}") + 1]
        assert said == f"a declaration is an integer from 0 to {most} (help lists the commands)"
    assert lines[lines.index("> 0") + 1] == "seat 0 decides 0"
    # `exit` ends it as `quit` does.
    assert lines[-1] == "> exit"


def test_usage_errors_are_one_line(arbiter: Run, tmp_path: Path) -> None:
    cases = {
        (): "expected --game G, --config CONFIG --player NAME, --config CONFIG --from MATCH_ID or --fr",
        ("--from", "r001/t01/m0"): "--from needs the season's file (add --config CONFIG)",
        ("--game", "planning", "--until", "3"): "--until needs --from MATCH_ID, --record FILE or",
        ("--game", "planning", "--record", "x"): "a recorded match sets game",
        ("--record", str(tmp_path / "none")): "none: cannot be read: No such file",
        ("--from-replay", str(tmp_path / "none")): "none: cannot be read: No such file",
        ("--from-replay", "x", "--record", "x"): "--record and --from-replay: give only one recorded match",
        ("--from-replay", "x", "--config", "x"): "--from-replay has the whole match (leave out --config)",
        ("--game", "planning", "--seat", "9=human"): "--seat: expected 0 to 3, got 9",
        (*SHORT, "--seat", "bot:./nope"): "arbiter: bot:./nope: there is no program ./nope",
    }
    for arguments, words in cases.items():
        code, out, err = arbiter("console", *arguments)
        assert (code, out) == (2, "")
        assert words in err.splitlines()[-1]


def test_a_person_plays_against_random_players(console: Callable[..., list[str]]) -> None:
    lines = console("go\n0\nTD\n", *SHORT, "--seat", "human")
    assert lines[5:13] == [
        "> go",
        "seat 0 is to answer gen_declare",
        "  hand   TD",
        "  may    0 1",
        "> 0",
        "seat 0 decides 0",
        "  deal 1  gen_declare  1:1  2:1  3:1",
        "seat 0 is to answer gen_move",
    ]
    # Its next decision is asked for at once, in the next deal.
    assert lines[-3] == "seat 0 is to answer gen_declare"


def test_deals_from_a_file_and_a_hand_by_suit(console: Callable[..., list[str]], tmp_path: Path) -> None:
    deals = [{"hands": [["2C", "TD", "AS", "3C"], ["4C"] * 0 + ["5C", "6D", "7S", "8H"],
                        ["9C", "9D", "9H", "9S"], ["KC", "KD", "KH", "KS"]], "starter": 0}]  # fmt: skip
    path = tmp_path / "deals.json"
    path.write_text(json.dumps(deals))
    lines = console(f"deals {path}\nhands\n")
    assert "  0  2C 3C   TD   AS" in lines
    assert "  0  2C 3C   TD   AS" in console("hands\n", *SHORT, "--deals", path)


def test_the_deals_of_a_record_are_dealt_again(
    arbiter: Run, console: Callable[..., list[str]], tmp_path: Path
) -> None:
    path = tmp_path / "record.json"
    record = play_by_policy(GAME, random_policy("x"), match_spec(GAME))
    path.write_text(json.dumps(record.to_json()))
    hands = {tuple(deal["hands"][0]) for deal in record.deals[:1]}
    for lines in (
        console(f"deals {path}\ngreet\nhands\n"),
        console("greet\nhands\n", *SHORT, "--deals", path),
    ):
        assert "seat 0  set_game 3 1 0 2 1 3 2" in lines
        assert {(lines[lines.index("> hands") + 1].split()[1],)} == hands
    code, _, err = arbiter("console", "--game", "codepiece", "--deals", path)
    assert (code, err) == (2, f"{path}: is the record of a match of planning, not of codepiece\n")
    path.write_text('{"hands": []}')
    code, _, err = arbiter("console", *SHORT, "--deals", path)
    assert code == 2
    assert err.startswith(f"{path}: expected a list of deals, ")


@pytest.mark.process
def test_play_deals_a_record_again(arbiter: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    play = ("play", *SHORT[:2], *SHORT[6:], *["--bot", RANDOM] * 4)
    assert arbiter(*play, *SHORT[2:4], "--record", first)[0] == 0
    assert arbiter(*play, "--deals", first, "--record", second)[0] == 0
    records = [json.loads(path.read_text()) for path in (first, second)]
    assert records[0]["seed"] != records[1]["seed"]
    for key in ("deals", "options", "points"):
        assert records[0][key] == records[1][key]


def test_a_record_of_a_game_that_deals_from_play_gives_its_deals(
    console: Callable[..., list[str]], tmp_path: Path
) -> None:
    game = find("chefs_hat")()
    path = tmp_path / "record.json"
    path.write_text(json.dumps(play_by_policy(game, random_policy("x"), match_spec(game)).to_json()))
    lines = console(f"deals {path}\nhands\n", "--game", "chefs_hat", "--isolation", "plain")
    assert lines[lines.index(f"> deals {path}") + 1] == "Chef's Hat: rules book, matches 3"
    dealt = game.deal_from_json(json.loads(path.read_text())["deals"][0])
    assert lines[lines.index("> hands") + 1] == f"  0  {game.hand_text(sorted(dealt.hands[0]))}"


@pytest.mark.process
def test_a_bad_answer_is_the_users_to_settle(console: Callable[..., list[str]], bot: Told) -> None:
    command = bot('if words[0] == "gen_move": answer = "= ZZ"')
    lines = console("go\nagain\nplay TD for 0\nstep\nstate\n", *SHORT, "--seat", f"bot:{command}")
    first = lines.index("  illegal: there is no such card in the deck (23456789TJQKA CDHS)")
    assert lines[first - 1] == "seat 0  gen_move  ->  '= ZZ\\n\\n'  T ms"
    assert "what now: again, play WORD for 0, undo or quit?" in lines
    assert lines.count("seat 0  gen_move  ->  '= ZZ\\n\\n'  T ms") == 2
    assert "seat 0 decides TD" in lines
    assert any(line.startswith("seat 0  play 0 TD  ->  '=\\n\\n'") for line in lines)


@pytest.mark.process
def test_a_dead_bot_is_started_anew_and_hears_what_it_had_heard(
    console: Callable[..., list[str]], bot: Told, tmp_path: Path
) -> None:
    flag = tmp_path / "died"
    command = bot(
        'if words[0] == "gen_move" and not os.path.exists(FLAG): open(FLAG, "w").close(); sys.exit("ouch")'.replace(
            "FLAG", repr(str(flag))
        )
    )
    lines = console("go\nagain\ngo\n", *SHORT, "--seat", f"bot:{command}")
    assert "  crash: it exited with status 1: ouch" in lines
    assert "  stderr: ouch" in lines
    assert lines[lines.index("> again") + 2].startswith("seat 0  gen_move  ->  '= TD\\n\\n'")
    assert lines[-2].startswith("the match is over: points ")


@pytest.mark.process
def test_what_a_bot_writes_to_standard_error_stands_below_the_command(
    console: Callable[..., list[str]], bot: Told
) -> None:
    command = bot('print("heard", words[0], file=sys.stderr, flush=True)')
    lines = console("step\n", *SHORT, "--seat", f"bot:{command}")
    own = [line for line in lines if line.startswith(("seat 0  set", "seat 0  gen", "  stderr: "))]
    assert [line.split()[2] for line in own] == [
        word
        for command in ("set_deck", "set_players", "set_game", "set_cards")
        for word in (command, command)
    ] + ["time_left", "gen_declare", "gen_declare"]


@pytest.mark.process
def test_bad_news_can_be_skipped(console: Callable[..., list[str]], bot: Told) -> None:
    command = bot('if words[0] == "declare" and words[1] == "2": answer = "oh"')
    lines = console("go\nskip\nstep\n", *SHORT, "--seat", f"bot:{command}")
    assert "  malformed: a reply starts with = or ?, not b'oh\\n\\n'" in lines
    assert "what now: again, skip, undo or quit?" in lines
    assert lines[lines.index("> step") + 1].startswith("seat 1  declare 2 ")


@pytest.mark.process
def test_a_bot_that_is_silent_is_waited_for_and_no_longer(
    console: Callable[..., list[str]], bot: Told
) -> None:
    command = bot('if words[0] == "hm": time.sleep(60)')
    lines = console("greet\nraw 0 hm\nclock\n", *SHORT, "--time", "200ms", "--seat", f"bot:{command}")
    assert any(line.startswith("  timeout: no reply: ") for line in lines)
    assert lines[lines.index("> clock") + 4] == "  3  T ms left of 0.2 s"


@pytest.mark.process
def test_bots_are_told_quit_and_killed_if_they_stay(console: Callable[..., list[str]], bot: Told) -> None:
    stays = bot('if words[0] == "quit": time.sleep(60)')
    lines = console("quit\n", *SHORT, "--seat", f"bot:{RANDOM}", "--seat", f"bot:{stays}")
    assert lines[-2:] == [
        "seat 0: ended with status 0",
        "seat 1: killed, it did not end on quit in 1 s",
    ]


def saving(bot: Told, log: Path) -> str:
    """A bot that saves the number of its moves in this match when it hears ``quit``."""
    save = f"with open({str(log)!r}, 'a') as log: log.write(str(moves))"
    return bot(f'if words[0] == "set_game": moves = 0\n    if words[0] == "quit":\n        {save}')


@pytest.mark.process
@pytest.mark.parametrize(
    ("script", "saved"),
    [
        ("step 2\nundo\nundo\nquit", "000"),
        ("step 1\nnew\nquit", "00"),
        ("go\nundo 1\ngo\nquit", "33"),
        ("go\nseed 2\nquit", "30"),
    ],
)
def test_a_bot_hears_quit_before_its_process_ends(
    script: str, saved: str, console: Callable[..., list[str]], bot: Told, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    lines = console(f"{script}\n", *SHORT, "--seat", f"bot:{saving(bot, log)}")
    assert log.read_text() == saved
    assert lines[-1] == "seat 0: ended with status 0"


@pytest.mark.process
def test_a_bot_hears_quit_at_the_end_of_the_match_and_is_there_again_when_spoken_to(
    console: Callable[..., list[str]], bot: Told, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    check = bot(f"if words[0] == 'saved': answer = '= ' + open({str(log)!r}).read()", "check")
    lines = console(
        "go\nraw 1 saved\n", *SHORT, "--seat", f"bot:{saving(bot, log)}", "--seat", f"bot:{check}"
    )
    assert "seat 1  saved  ->  '= 3\\n\\n'  T ms" in lines


@pytest.mark.process
def test_a_bot_cannot_steer_the_terminal(console: Callable[..., list[str]], bot: Told) -> None:
    command = bot(
        'if words[0] == "hi": sys.stderr.write("\\x1b[2J\\n"); answer = "= \\x1b[2J"\n    if words[0] == "die": sys.exit("\\x1b[2J")'
    )
    text = "\n".join(console("raw 0 hi\nraw 0 die\nstep\n", *SHORT, "--seat", f"bot:{command}"))
    assert "\x1b" not in text
    assert text.count("\\x1b[2J") >= 2


def crash_at(moves: int) -> str:
    return f'if words[0] == "gen_move" and moves == {moves}: raise RuntimeError("the bug")'


def write_season_file(folder: Path, crasher: str, delivery: str = "strict") -> Path:
    path = folder / "my season.yaml"
    lines = [
        f"game: {{name: planning, deals: [[1, 0], [2, 1], [3, 2]]}}\nisolation: plain\nrounds: 1\nworkers: 1\ndelivery: {delivery}",
        f"seed: {'s' * 32}",
        "players:",
    ]
    commands = {"ann": RANDOM, "bob": RANDOM, "cid": RANDOM, "dan": crasher}
    lines += [
        f"  - {{name: {name}, command: {json.dumps(shlex.split(command))}, batched: true}}"
        for name, command in commands.items()
    ]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.process
@pytest.mark.parametrize(
    ("delivery", "fault"),
    [
        ("strict", 'if words[0] == "set_deck": raise RuntimeError("the bug")'),
        ("strict", crash_at(5)),
        ("batched", 'if words[0] == "play" and moves == 3: raise RuntimeError("the bug")'),
    ],
)
def test_show_prints_the_command_that_leads_to_a_crash(
    fault: str,
    delivery: str,
    arbiter: Run,
    bot: Told,
    tmp_path: Path,
) -> None:
    config = write_season_file(tmp_path, bot(fault), delivery)
    assert arbiter("run-round", config)[0] == 0
    for match in ("r001/t01/m0", "r001/t01/m2"):
        shown = arbiter("show", config, match)[1]
        (line,) = [line for line in shown.splitlines() if line.startswith("  again ")]
        words = shlex.split(line.removeprefix("  again"))
        assert words[:6] == ["arbiter", "console", "--config", str(config), "--from", match]
        record = json.loads(arbiter("show", config, match, "--format", "json")[1])
        code, out, err = arbiter(*words[1:], script="go\n")
        assert (code, err) == (0, "")
        before, _, after = out.partition("> go")
        # All is well up to there, and what comes next is the recorded fault.
        assert "RuntimeError" not in before
        assert f"fed {words[-1]} of {words[-1]} recorded decisions" in before
        assert "  crash: it exited with status 1: RuntimeError: the bug" in after
        command = record["forfeit"]["command"]
        assert delivery == "batched" or f"seat {record['forfeit']['seat']}  {command}  ->  ''" in after


@pytest.mark.process
def test_a_recorded_seat_is_taken_by_a_person_or_another_bot(arbiter: Run, bot: Told, tmp_path: Path) -> None:
    config = write_season_file(tmp_path, bot(crash_at(3)))
    arbiter("run-round", config)
    _, out, _ = arbiter(
        "console", "--config", config, "--from", "r001/t01/m0", "--until", "9",
        "--seat", "0=human", "--seat", "1=human", "--seat", "2=human", "--seat", "3=human",
        script="step\n",
    )  # fmt: skip
    assert out.splitlines()[1:6] == [
        "  0  human", "  1  human", "  2  human", "  3  human", "fed 9 of 9 recorded decisions",
    ]  # fmt: skip
    assert "  may    0 1 2" in out
    _, out, _ = arbiter(
        "console", "--config", config, "--from", "r001/t01/m0", "--seat", f"0=bot:{bot(name='other')}",
        script="",
    )  # fmt: skip
    assert re.search(r"move \d+: seat 0 now answers \S+, not \S+", out)


@pytest.fixture
def changed_season(arbiter: Run, bot: Told, tmp_path: Path) -> Path:
    """A season of a round in which dan crashed; by now dan has another version, and ann has withdrawn."""
    config = write_season_file(tmp_path, bot(crash_at(3)))
    assert arbiter("run-round", config)[0] == 0
    text = (
        config.read_text().replace("name: dan,", "name: dan, version: 2,").replace("name: ann", "name: eve")
    )
    config.write_text(text.replace("bot.py", "new.py"))
    (tmp_path / "new.py").write_text((tmp_path / "bot.py").read_text())
    return config


@pytest.mark.process
def test_a_match_is_fed_to_the_players_of_its_round_though_the_file_has_others(
    arbiter: Run, changed_season: Path
) -> None:
    shown = arbiter("show", changed_season, "r001/t01/m0")[1]
    assert "  but " not in shown
    (line,) = [line for line in shown.splitlines() if line.startswith("  again ")]
    code, out, err = arbiter(*shlex.split(line.removeprefix("  again"))[1:], script="go\n")
    assert (code, err) == (0, "")
    seats = [line.split()[1].rstrip(":") for line in out.splitlines()[1:5]]
    assert sorted(seats) == ["ann", "bob", "cid", "dan"]
    assert "crash: it exited with status 1: RuntimeError: the bug" in out


@pytest.mark.process
def test_a_program_that_is_gone_is_named_and_nobody_takes_its_seat_unasked(
    arbiter: Run, changed_season: Path, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").unlink()
    record = json.loads(arbiter("show", changed_season, "r001/t01/m0", "--format", "json")[1])
    seat = record["players"].index("dan")
    gone = f"the program of dan is missing: there is no file {tmp_path / 'bot.py'}"
    (line,) = [
        line for line in arbiter("show", changed_season, "r001/t01/m0")[1].splitlines() if "but  " in line
    ]
    assert line == f"  but      {gone}; replace it with --seat {seat}=..."
    again = ("console", "--config", changed_season, "--from", "r001/t01/m0")
    assert arbiter(*again) == (
        2, "", f"arbiter: seat {seat}: {gone} (replace it with --seat {seat}=random, human or bot:COMMAND)\n",
    )  # fmt: skip
    code, out, _ = arbiter(*again, "--seat", f"{seat}=random")
    assert (code, out.splitlines()[1 + seat]) == (0, f"  {seat}  random")


@pytest.mark.process
def test_players_whose_settings_are_not_kept_are_not_guessed(
    arbiter: Run, changed_season: Path, tmp_path: Path
) -> None:
    with (
        closing(Store(f"sqlite:///{tmp_path / 'my season.sqlite'}")) as store,
        store.transaction() as connection,
    ):
        connection.execute(sa.delete(db_schema.configs))
    code, out, err = arbiter("console", "--config", changed_season, "--from", "r001/t01/m0")
    assert (code, out, err.count("\n")) == (2, "", 4)
    assert "the command of dan is unknown: the settings of that round are not stored" in err


# The machine alone, without a process.


class Scripted(Occupant):
    """Declares 0 and plays the first legal card, or what `raw` says for the n-th command it hears."""

    title = "scripted"

    def __init__(self, raw: dict[int, bytes] | None = None) -> None:
        self.heard: list[list[str]] = []
        self.raw = raw or {}

    def begin(self, seat: int) -> None:
        self.heard.append([])

    def reply_to(self, line: SeatCommand) -> RawReply:
        self.heard[-1].append(line.command)
        answer = b"=\n\n"
        if line.command.startswith("gen_"):
            answer = f"= {line.position.words()[0]}\n\n".encode()
        answer = self.raw.get(len(self.heard[-1]), answer)
        connection = Connection()
        connection.feed(answer)
        reply = connection.reply()
        assert reply is not None
        return RawReply(answer, Reply(reply, 1000, 1000))


def machine(*occupants: Scripted | Person | RandomPlayer, time: str = "10s") -> InteractiveMatch:
    return InteractiveMatch(
        Setup(GAME, "1", Limits(TimeControl.parse(time), 1000, 400_000_000)), list(occupants), lambda _: None
    )


def test_what_is_said_by_hand_is_what_the_referee_says() -> None:
    bots = [Scripted() for _ in range(4)]
    hand = machine(*bots)
    while hand.step() is Stop.DECIDED:
        pass
    said: list[list[str]] = [[] for _ in range(4)]

    def peer(seat: int) -> Callable[[str], bytes]:
        twin = Scripted()
        twin.begin(seat)
        course = iter([decision.word for decision in hand.position.decisions if decision.seat == seat])

        def answer(command: str) -> bytes:
            said[seat].append(command)
            return f"= {next(course)}\n\n".encode() if command.startswith("gen_") else b"=\n\n"

        return answer

    record = play_in_memory(GAME, [peer(seat) for seat in range(4)], match_spec(GAME))
    assert record.points == hand.position.totals
    for seat in range(4):
        # Times aside, which scripted bots do not take alike.
        plain = [
            [re.sub(r"^time_left .*", "time_left", c) for c in heard]
            for heard in (said[seat], bots[seat].heard[0])
        ]
        assert plain[0] == plain[1]


def test_redo_in_the_console_makes_decisions_again(console: Callable[..., list[str]]) -> None:
    script = "step 5\nundo 3\nredo 2\nredo 2\nredo\n"
    lines = [line for line in console(script) if line.startswith(("took", "made", "no decision"))]
    assert lines == [
        "took 3 decisions back, 2 left",
        "made 2 decisions again, 1 left",
        "made 1 decision again, 0 left",
        "no decision to make again: undo takes decisions back",
    ]


def test_a_raw_command_is_heard_again_after_undo() -> None:
    bots = [Scripted() for _ in range(4)]
    hand = machine(*bots)
    hand.step()
    hand.send_line(2, "hello there")
    hand.step()
    hand.step()
    hand.undo(1)
    assert bots[2].heard[1].count("hello there") == 1
    hand.undo(2)
    assert "hello there" not in bots[2].heard[2]


def test_who_sits_down_later_hears_what_was_heard_there() -> None:
    bots = [Scripted() for _ in range(3)]
    hand = machine(Person(), *bots)
    assert hand.step() is Stop.PERSON
    with pytest.raises(IllegalAction):
        hand.decide("7")
    assert hand.decide("1") is Stop.DECIDED
    hand.step()
    late = Scripted()
    hand.replace_occupant(0, late)
    assert late.heard[0][-2:] == ["time_left 10000", "gen_declare"]


def test_a_refusal_can_be_passed_over_by_a_word() -> None:
    bots = [Scripted({6: b"? no\n\n"}), *(Scripted() for _ in range(3))]
    hand = machine(*bots)
    assert hand.step() is Stop.TROUBLE
    assert hand.trouble is not None
    assert (hand.trouble.kind, hand.trouble.problem) == ("refused", "refused to answer gen_declare")
    assert hand.decide("1") is Stop.DECIDED
    assert hand.step() is Stop.DECIDED
    assert len(bots[0].heard) == 1


def test_the_clock_runs_while_bots_answer() -> None:
    hand = machine(*(Scripted() for _ in range(4)), time="10s+1s")
    hand.step()
    # Three commands of a start, cards, time_left and the request: the first one is not on the clock.
    assert hand.left[0] == 11_000_000_000 - 5 * 1000
    assert hand.left[1] == 10_000_000_000 - 3 * 1000


def recorded(seat: int = 0, at: int | None = None, delivery: str = "strict") -> MatchRecord:
    """A match at random in memory; `at` makes the bot in a seat end at its n-th command."""
    spec = match_spec(GAME, delivery=delivery)
    if at is None:
        return play_by_policy(GAME, random_policy("x"), spec)
    whole = play_by_policy(GAME, random_policy("x"), spec)
    words = [iter([m.action for m in whole.moves if m.seat == s]) for s in range(4)]
    heard = [0] * 4

    def peer(own: int) -> Callable[[str], bytes | None]:
        def answer(command: str) -> bytes | None:
            heard[own] += 1
            if own == seat and heard[own] == at:
                return None
            return f"= {next(words[own])}\n\n".encode() if command.startswith("gen_") else b"=\n\n"

        return answer

    return play_in_memory(GAME, [peer(own) for own in range(4)], spec)


@pytest.mark.parametrize("delivery", ["strict", "batched"])
@pytest.mark.parametrize("at", [1, 2, 4, 5, 6, 7, 10, 11, 12, 13, 17, 30, 50])
def test_a_record_is_fed_up_to_the_command_before_its_fault(at: int, delivery: str) -> None:
    record = recorded(2, at, delivery)
    assert record.forfeit is not None
    bots = [Scripted() for _ in range(4)]
    hand = machine(*bots)
    remarks = list(hand.feed(record.moves[: moves_before_fault(record)]))
    # These bots do not play what the record has, and the record prevails.
    assert all("now answers" in remark for remark in remarks)
    assert len(bots[2].heard[0]) < at
    if delivery == "strict":
        hand.step()
        assert len(bots[2].heard[0]) >= at
    assert [d.word for d in hand.position.decisions][: len(record.moves)] == [
        move.action for move in record.moves
    ][: len(hand.position.decisions)]


def test_feeding_says_where_a_record_leaves_the_match() -> None:
    record = recorded()
    moves = list(record.moves)
    moves[5] = moves[5]._replace(action="ZZ")
    hand = machine(*(Person() for _ in range(4)))
    (remark,) = hand.feed(moves)
    assert remark.startswith(f"move 6: ZZ of seat {moves[5].seat}: there is no such card")
    assert len(hand.position.decisions) == 5


def test_a_person_gives_cards_by_several_words(console: Callable[..., list[str]]) -> None:
    seats = "".join(f"seat {seat} human\n" for seat in range(4))
    said = f"go deal\n{seats}go\n12 12\n3\n4 5\n"
    lines = console(said, "--game", "chefs_hat", "--seed", "3", "--isolation", "plain")
    asked = lines.index("> go")
    assert lines[asked + 1] == "seat 0 is to answer gen_exchange 2"
    assert lines[lines.index("> 12 12") + 1] == "12 12 is not in hand (help lists the commands)"
    assert lines[lines.index("> 3") + 1] == "gen_exchange 2 is answered by 2 words, not by '3'"
    assert lines[lines.index("> 4 5") + 1] == "seat 0 decides 4 5"


def test_a_long_reply_is_cut() -> None:
    line = entry_line(TranscriptEntry(1, "x", b"=" * 500, 0))
    assert line.endswith("=...'  0.0 ms")
