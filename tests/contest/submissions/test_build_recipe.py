"""What is started of a submission: by bot.yaml, by the names of its files, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.contest.submissions.build_recipe import (
    JAVA,
    KNOWN,
    Program,
    Recipe,
    check_files_exist,
    recipe_of,
)
from arbiter.contest.submissions.inspection_steps import Refused


def source_of(folder: Path, *names: str, **texts: str) -> Path:
    """A folder with these files; `bot` is the text of bot.yaml."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.mark.parametrize("name", KNOWN)
def test_a_file_with_a_known_name_says_what_is_started(name: str, tmp_path: Path) -> None:
    assert recipe_of(source_of(tmp_path, name, "readme.txt")) == KNOWN[name]


def test_the_first_known_name_counts(tmp_path: Path) -> None:
    assert recipe_of(source_of(tmp_path, *reversed(KNOWN))) == KNOWN["bot.py"]


def test_bot_yaml_comes_before_all_names(tmp_path: Path) -> None:
    text = "command: [./out/bot, --fast]\nbuild: [make, all]\nread: [data]\n"
    source = source_of(tmp_path, "bot.py", bot=text)
    assert recipe_of(source) == Recipe(("./out/bot", "--fast"), ("make", "all"), ("data",))


@pytest.mark.parametrize("said", [True, False])
def test_an_author_says_whether_the_notes_are_for_all(tmp_path: Path, said: bool) -> None:
    assert recipe_of(source_of(tmp_path, bot="command: [./bot]\n")).publish_notes is None
    text = f"command: [./bot]\npublish_notes: {str(said).lower()}\n"
    recipe = recipe_of(source_of(tmp_path, bot=text))
    assert recipe.publish_notes is said
    program = Program(recipe.command, recipe.read, {}, recipe.publish_notes)
    assert Program.from_json(program.to_json()) == program


def test_a_script_that_names_its_interpreter_is_started_by_itself(tmp_path: Path) -> None:
    (tmp_path / "bot.sh").write_text("#!/usr/bin/env python3\n")
    assert recipe_of(tmp_path).command == ("./bot.sh",)


@pytest.mark.parametrize(
    ("names", "command"),
    [
        (["bot.mjs", "package.json"], "node bot.mjs"),
        (["Bot.py", "helper.py"], "python3 Bot.py"),
        (["main.py", "helper.py", "README.md"], "python3 main.py"),
        (["bot.cjs", "main.py"], "node bot.cjs"),
        (["my bot.py", "data/other.py"], "python3 my bot.py"),
        (["Bot.jar"], "java -jar Bot.jar"),
    ],
)
def test_a_name_that_plainly_means_the_program_says_what_is_started(
    names: list[str], command: str, tmp_path: Path
) -> None:
    assert " ".join(recipe_of(source_of(tmp_path, *names)).command) == command


@pytest.mark.parametrize(
    ("names", "build"),
    [
        (["bot.cpp", "cards.cpp"], "g++ -O2 -o bot bot.cpp"),
        (["bot.c"], "gcc -O2 -o bot bot.c -lm"),
        (["solver.rs"], "rustc -O -o bot solver.rs"),
        (["bot.go", "cards.go"], "go build -o bot"),
    ],
)
def test_sources_of_one_program_are_built(names: list[str], build: str, tmp_path: Path) -> None:
    recipe = recipe_of(source_of(tmp_path, *names))
    assert (" ".join(recipe.build), recipe.command) == (build, ("./bot",))


def java(name: str, main: str) -> Recipe:
    """Names are words of their own, which no shell reads."""
    return Recipe(("java", "-jar", "bot.jar"), ("sh", "-ec", JAVA, "sh", name, main))


def test_the_one_class_with_a_main_is_started(tmp_path: Path) -> None:
    source_of(tmp_path, "Card.java")
    (tmp_path / "Player.java").write_text(
        "package a.b;\nclass Player { public static void main(String[] a) {} }"
    )
    assert recipe_of(tmp_path) == java("Player.java", "a.b.Player")
    (tmp_path / "Bot.java").write_text("class Bot {}")
    assert recipe_of(tmp_path) == java("Bot.java", "Bot")
    (tmp_path / "Main.java").write_text("package x;")
    assert recipe_of(tmp_path) == java("Main.java", "x.Main")


@pytest.mark.parametrize("first", [b"#!/bin/sh\n", b"\x7fELF"])
def test_an_executable_called_bot_is_started(first: bytes, tmp_path: Path) -> None:
    (tmp_path / "bot").write_bytes(first)
    assert recipe_of(tmp_path) == Recipe(("./bot",))


@pytest.mark.parametrize(
    ("names", "said", "fix"),
    [
        (["a.py", "b.py"], "a.py, b.py", "call the one to start bot.py, or write a bot.yaml, such as command: [python3, a.py]"),
        (["bot.mjs", "bot.cpp"], "bot.cpp, bot.mjs",
         "write a bot.yaml, such as command: [./bot] and build: [g++, -O2, -o, bot, bot.cpp]"),
        (["main.py", "main.mjs", "x.py"], "main.mjs, main.py",
         "call the one to start bot.mjs, or write a bot.yaml, such as command: [node, main.mjs]"),
        (["A.java", "B.java"], "A.java, B.java", "let only one class have a main, or call that class Main"),
        (["1.py", "2.py", "3.py", "4.py"], "1.py, 2.py, 3.py and 1 more", "call the one to start bot.py, or "),
        (["src/bot.py", "README"], "nothing to start: no bot.yaml, bot.py, bot.js, ",
         ("bot.py is in the folder src: pack the contents of that folder, or write a bot.yaml with"
          " command: [python3, src/bot.py]")),
        (["src/Main.java", "README"], "nothing to start",
         "Main.java is in the folder src: pack the contents of that folder"),
        (["bot.ts", "data/x", "-x.py", "@y.py"], "nothing to start",
         "it holds -x.py, @y.py, bot.ts, ...: call the program bot.py, for example, or write a bot.yaml with"),
    ],
)  # fmt: skip
def test_what_is_not_plain_is_refused_with_what_to_do(
    names: list[str], said: str, fix: str, tmp_path: Path
) -> None:
    with pytest.raises(Refused) as refused:
        recipe_of(source_of(tmp_path, *names))
    assert said in refused.value.detail
    assert refused.value.fix.startswith(fix)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
)
MISTAKES = {
    "an unknown key": ("command: [x]\nbuid: [make]\n", "bot.yaml:2:1: buid: unknown key (did you mean build?)"),
    "no command": ("build: [make]\n", "bot.yaml:1:1: command: is required"),
    "an empty command": ("command: []\n", "bot.yaml:1:1: command: is empty"),
    "a command of one text": ("command: python3 bot.py\n", "bot.yaml:1:1: command: should be a valid list"),
    "a word that is none": ("command: [python3, 3]\n", "bot.yaml:1:20: command.1: should be a valid string"),
    "a key twice": ("command: [x]\ncommand: [y]\n", "bot.yaml:2:1: command: duplicate key, first given in line 1"),
    "a climbing word": ("command: [python3, ../x.py]\n", "command.1: '../x.py' is not in the archive"),
    "a word that climbs within": ("command: [python3, a/../../x.py]\n", "is not in the archive"),
    "an absolute word": ("command: [/usr/bin/python3, bot.py]\n", "command.0: '/usr/bin/python3' is not in the archive"),
    "reading elsewhere": ("command: [x]\nread: [/etc]\n", "bot.yaml:2:8: read.0: '/etc' is not in the archive"),
    "reading above": ("command: [x]\nread: [..]\n", "read.0: '..' is not in the archive"),
    "reading too much": (f"command: [x]\nread: [{', '.join(['a'] * 33)}]\n", "bot.yaml:2:1: read: read: expected at most 32 files"),
    "building elsewhere": ("command: [x]\nbuild: [/bin/sh]\n", "build.0: '/bin/sh' is not in the archive"),
    "a NUL": ('command: ["x\\0"]\n', "a word of the command contains a NUL character"),
    "a bare NUL": ("command: [x\0]\n", "bot.yaml: unacceptable character #x0000"),
    "no YAML": ("command: [x\n", "bot.yaml:2:1: "),
    "a list": ("- x\n", "bot.yaml: is not a mapping of keys"),
    "no text": ("\udcff", "bot.yaml: is not UTF-8 text"),
    "aliases without end": (BOMB, "too many values"),
    "deep nesting": ("command: " + "[" * 600, "bot.yaml"),
    "a very long file": ("#" * 20_000, "bot.yaml is longer than 16384 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_in_bot_yaml_is_pointed_at(what: str, tmp_path: Path) -> None:
    text, said = MISTAKES[what]
    (tmp_path / "bot.yaml").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(Refused) as refused:
        recipe_of(tmp_path)
    assert said in refused.value.detail
    assert str(tmp_path) not in refused.value.detail + refused.value.output


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("command: [../x]\nread: [/y]\n")
    with pytest.raises(Refused) as refused:
        recipe_of(tmp_path)
    assert len(refused.value.output.splitlines()) == 2


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Recipe(("./bot",)), "there is no program ./bot"),
        (Recipe(("python3", "bot.py")), "there is no file bot.py"),
        (Recipe(("no-such-program", "here.py")), "there is no program no-such-program in PATH"),
        (Recipe(("python3", "here.py"), read=("data",)), "there is no data"),
        (Recipe(("python3", "here.py"), read=("x" * 300,)), "there is no xxx"),
    ],
)
def test_what_a_command_names_must_be_there(recipe: Recipe, said: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=said):
        check_files_exist(recipe, source_of(tmp_path, "here.py"))


def test_a_program_is_a_player_that_starts_in_its_source(tmp_path: Path) -> None:
    source_of(tmp_path / "source", "bot.py", "data/x")
    player = Program(("python3", "bot.py"), ("data",), {}).player("ann@2", tmp_path)
    assert player.name == "ann@2"
    assert player.command == ("python3", str(tmp_path / "source" / "bot.py"))
    assert player.folder == str(tmp_path / "source")
    assert player.read == (str(tmp_path / "source"), str(tmp_path / "source" / "data"))


def test_a_program_is_kept_as_json() -> None:
    program = Program(("./bot", "-x"), ("data",), {"source/bot": "0" * 64})
    assert Program.from_json(program.to_json()) == program
