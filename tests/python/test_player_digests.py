"""When two functions, objects or programs count as one player, and when not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.match.spec import Player
from arbiter.python.player_digests import ProgramDigest
from arbiter.sandbox.player_command import register

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def digest(policy: Any) -> str:
    return ProgramDigest(Player("bot", ()), policy).digest()


def made(source: str) -> Callable[..., Any]:
    """The function `bot` of a cell of a notebook."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(source, names)
    found: Callable[..., Any] = names["bot"]
    return found


def test_a_cell_that_runs_again_makes_the_same_function() -> None:
    source = "def bot(o, m):\n    return [x for x in m if x][0]\n"
    assert digest(made(source)) == digest(made("\n\n" + source))
    for other in (
        source.replace("[0]", "[-1]"),
        source.replace("if x", "if not x"),
        source.replace("m)", "m, d=1)"),
    ):
        assert digest(made(other)) != digest(made(source))


def test_a_helper_of_the_module_is_part_of_a_function() -> None:
    source = "def helper():\n    return {}\ndef bot(o, m):\n    return helper()\n"
    assert digest(made(source.format(1))) == digest(made(source.format(1))) != digest(made(source.format(2)))


@pytest.mark.parametrize(
    "source",
    [
        "value = {}\ndef bot(o, m):\n    return value\n",
        "value = {{'a': [{}]}}\ndef bot(o, m):\n    return [value['a'] for _ in m]\n",
        "import numpy\nvalue = numpy.array([{}])\ndef bot(o, m):\n    return (lambda: value)()\n",
        "import types\nown = types.ModuleType('own')\nown.value = {}\ndef bot(o, m):\n    return own.value\n",
        "import types\nvalue = types.SimpleNamespace(x={})\ndef bot(o, m):\n    return value.x\n",
        "def of(value):\n    return lambda o, m: value\nbot = of({})\n",
        "import functools\nbot = functools.partial(max, {})\n",
        "def bot(o, m):\n    return bot.depth\nbot.depth = {}\n",
        "class Base:\n    def act(self):\n        return {}\nclass Bot(Base):\n    pass\nbot = Bot()\n",
        "class Bot:\n    depth = property(lambda self: {})\nbot = Bot()\n",
        "class Bot:\n    def __init__(self):\n        self._depth = {}\nbot = Bot()\n",
        "class Bot:\n    __slots__ = ('depth',)\nbot = Bot()\nbot.depth = {}\n",
        "class Bot:\n    pass\nbot = Bot()\nbot.net = Bot()\nbot.net.layers = [Bot()]\nbot.net.layers[0].w = {}\n",
    ],
)
def test_what_a_player_reaches_is_part_of_it(source: str) -> None:
    one, same, other = (digest(made(source.format(value))) for value in (1, 1, 2))
    assert one == same != other


def test_what_changes_while_a_player_plays_is_state() -> None:
    source = """
calls, cache, weights = {0}, {{}}, {1}
def bot(o, m):
    global calls
    calls += 1
    cache[o] = weights
"""

    class Bot:
        def __init__(self, depth: int) -> None:
            self.depth, self._calls = depth, 0

        def __call__(self, o: Any, m: Any) -> int:
            self._calls += 1
            self._lazy = self._calls
            return self.depth

    def played(policy: Any, move: int) -> str:
        found = ProgramDigest(Player("bot", ()), policy)
        policy(move, None)
        return found.digest()

    function, bot = made(source.format(0, [1])), Bot(1)
    first = played(function, 1)
    assert first == played(function, 2) == played(made(source.format(5, [1])), 3)
    assert first != played(made(source.format(0, [2])), 1)
    assert played(bot, 1) == played(bot, 2) == played(Bot(1), 3) != played(Bot(2), 1)


def test_a_player_that_cannot_be_read_has_no_digest() -> None:
    class Bot:
        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            raise ValueError

    assert digest(Bot()) == ""


def test_a_program_counts_by_its_files_and_words(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("pass\n")
    player = register("bot", ["python3", "bot.py", "--depth", "1"], tmp_path)
    first = ProgramDigest(player, None).digest()
    other = replace(player, command=(*player.command[:-1], "2"))
    assert ProgramDigest(player, None).digest() == first != ProgramDigest(other, None).digest()
    file.write_text("pass # changed\n")
    assert ProgramDigest(player, None).digest() != first
