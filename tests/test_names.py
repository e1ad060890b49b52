"""One class, one name: a name that stands for two things has to be told apart by every reader."""

import ast
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

from arbiter.games import names

ROOT = Path(__file__).parents[1]
OF_GAMES = ("arbiter/games/", "arbiter/envs/", "arbiter/samples/")


@lru_cache
def nodes():
    """Every node of the packages, with its file."""
    files = [path for folder in ("arbiter", "rating") for path in sorted((ROOT / folder).rglob("*.py"))]
    return [
        (str(path.relative_to(ROOT)), node)
        for path in files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef | ast.Constant)
    ]


def test_every_class_has_a_name_of_its_own():
    places = defaultdict(list)
    for file, node in nodes():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(f"{file}:{node.lineno}")
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_games_are_named_where_they_are_played_learned_and_shipped_alone():
    known = set(names())
    named = {file for file, node in nodes() if isinstance(node, ast.Constant) and node.value in known}
    # The table that an applet begins with; what was measured of each game.
    others = {"arbiter/cli/applet.py", "arbiter/review/luck.py"}
    assert {file for file in named if not file.startswith(OF_GAMES)} == others
