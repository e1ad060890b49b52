"""When two functions, objects or programs count as one player, and when not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from arbiter.match.spec import Player
from arbiter.python.player_digests import digest_of_player
from arbiter.sandbox.player_command import register

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def digest(policy: Any) -> str:
    return digest_of_player(Player("bot", ()), policy)


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


def test_enclosed_values_count_but_not_those_that_the_function_changes() -> None:
    def of_depth(depth: int) -> Callable[..., Any]:
        return lambda *_: depth

    def counting(calls: int) -> Callable[..., Any]:
        def bot(o: Any, m: Any) -> int:
            nonlocal calls
            calls += 1
            return 0

        return bot

    assert digest(of_depth(1)) == digest(of_depth(1)) != digest(of_depth(2))
    assert digest(partial(max, 1)) == digest(partial(max, 1)) != digest(partial(max, 2))
    assert digest(counting(0)) == digest(counting(5))


def test_an_object_counts_as_it_is_when_it_first_plays() -> None:
    class Bot:
        def __init__(self, depth: int) -> None:
            self.depth, self.calls, self._cache = depth, 0, object()

        def __call__(self, o: Any, m: Any) -> int:
            self.calls += 1
            return self.depth

    one = Bot(1)
    first = digest(one)
    one(None, None)
    assert digest(one) == first == digest(Bot(1)) != digest(Bot(2))


def test_a_program_counts_by_its_files_and_words(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("pass\n")
    player = register("bot", ["python3", "bot.py", "--depth", "1"], tmp_path)
    first = digest_of_player(player, None)
    other = replace(player, command=(*player.command[:-1], "2"))
    assert digest_of_player(player, None) == first != digest_of_player(other, None)
    file.write_text("pass # changed\n")
    assert digest_of_player(player, None) != first
