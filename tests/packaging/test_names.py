"""One class, one name: a name that stands for two things has to be told apart by every reader."""

import ast
import re
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import pytest

from arbiter.games import names

ROOT = Path(__file__).parents[2]
OF_GAMES = ("arbiter/games/", "arbiter/envs/", "arbiter/games/samples/")


@lru_cache
def texts():
    files = [path for folder in ("arbiter", "rating") for path in (ROOT / folder).rglob("*.py")]
    return {str(path.relative_to(ROOT)): path.read_text() for path in files}


def test_every_class_has_a_name_of_its_own():
    places = defaultdict(list)
    for file, text in texts().items():
        for name in re.findall(r"^ *class (\w+)[(:]", text, re.MULTILINE):
            places[name].append(file)
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_games_are_named_where_they_are_played_learned_and_shipped_alone():
    named = re.compile(f"""[\"'](?:{"|".join(names())})[\"']""")
    # What attackers play; the table that an applet begins with; what was measured of each game.
    others = {
        "arbiter/trials/sandboxcheck/attack_worker.py",
        "arbiter/cli/applet.py",
        "arbiter/trials/review/luck.py",
    }
    found = {file for file, text in texts().items() if named.search(text)}
    assert {file for file in found if not file.startswith(OF_GAMES)} == others


SAME_ROLE = {
    "arena": "a command and what it calls",
    "authors": "a command, its part of the API, the store's table",
    "codepiece": "the same game: its rules, its published engine, its observer",
    "console": "a command and what it calls",
    "game": "the interface of a game, and each game that is a package",
    "gauntlet": "a command and what it calls",
    "information_state": "what a seat knows of any game, and of Chef's Hat",
    "orders": "commands and the store's table",
    "planning": "the same game: its rules, its observer",
    "request": "a command and what it calls",
    "requests": "pages and their part of the API",
    "schema": "the types of the JSON that a district answers with",
    "verify": "a command and what it calls",
}
"""Base names that several modules of `arbiter` share, and the role that is the same."""


@pytest.mark.parametrize("package", ["arbiter", "rating"])
def test_two_modules_share_a_name_only_where_their_role_is_the_same(package: str) -> None:
    places = defaultdict(list)
    for file in texts():
        name = Path(file).stem
        if file.startswith(f"{package}/") and not name.startswith("__"):
            places[name].append(file)
    shared = {name: files for name, files in places.items() if len(files) > 1}
    assert set(shared) == (set(SAME_ROLE) if package == "arbiter" else set()), shared


def effects_named_as_states() -> set[str]:
    """Public functions with an effect whose names are participles, as ``package/module.py:Class.name``."""
    found = set()
    for file, text in texts().items():
        for owner in ast.walk(ast.parse(text)):
            if not isinstance(owner, ast.Module | ast.ClassDef):
                continue
            prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
            for function in owner.body:
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and _has_effect(function):
                    name = function.name
                    is_asked = any("property" in ast.dump(one) for one in function.decorator_list)
                    if (
                        name.endswith("ed")
                        and name[0] != "_"
                        and name.rpartition("_")[2] not in VERBS
                        and not is_asked
                    ):
                        found.add(f"{file}:{prefix}{name}")
    return found


VERBS = {"feed", "seed", "need"}
"""Words in -ed that are no participles."""


def _has_effect(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True where something is called for nothing but its effect, or an attribute is set."""
    for node in ast.walk(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return True
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Attribute) for to in node.targets):
            return True
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
            return True
    return False


def test_functions_that_act_are_verbs() -> None:
    """The list only shrinks: a new function with an effect is named by a verb."""
    assert effects_named_as_states() == LEFT


LEFT = {
    "arbiter/games/cards.py:Stream.shuffled",
    "arbiter/games/chefs_hat/information_state.py:ChefsHatHearing.asked",
    "arbiter/games/information_state.py:Hearing.asked",
    "arbiter/sandbox/forkserver/bot.py:Bot.wait_killed",
    "arbiter/trials/review/review_round.py:review_packed",
    "arbiter/web/http/connections.py:BoundedConnection.data_received",
}
