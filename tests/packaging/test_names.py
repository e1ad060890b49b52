"""One class, one name: a name that stands for two things has to be told apart by every reader."""

import re
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

from arbiter.games import names

ROOT = Path(__file__).parents[2]
OF_GAMES = ("arbiter/games/", "arbiter/envs/", "arbiter/games/samples/")


@lru_cache
def texts():
    """The text of each file of the packages."""
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
