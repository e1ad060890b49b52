"""The tables of docs/reference/environments.md are those of the code."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.envs.observers.dou_dizhu import RoleObserver
from arbiter.games import make, names
from arbiter.games.dou_dizhu.combinations import RANKS
from arbiter.games.samples import bot_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arbiter.envs.pettingzoo_base import Arena

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "environments.md"
BEGIN = "<!-- made by tests/envs/test_environments_page.py --rewrite-golden, from here -->\n"
BEGIN_ROLES = BEGIN.replace("from here", "dou_dizhu_v4, from here")
END = "<!-- to here -->\n"


def row(name: str, env: object) -> str:
    spaces = [env.observation_space(agent)["observation"] for agent in env.possible_agents]  # type: ignore[attr-defined]
    sizes = dict.fromkeys(str(space.shape[0]) for space in spaces)
    ids = env.action_space(env.possible_agents[0]).n  # type: ignore[attr-defined]
    return f"| `{name}` | {' or '.join(sizes)} | {np.dtype(spaces[0].dtype).name} | {ids} |"


def tables() -> Iterator[str]:
    """Sizes of all environments, then what the cells of each observation are, as its docstring says."""
    yield from ("", "| environment | cells | type | ids |", "|---|---|---|---|")
    for name in names():
        yield row(f"aec({name!r})".replace("'", '"'), envs.aec(name))
    for visible in (False, True):
        yield row(f"dou_dizhu_v4.env({visible})", dou_dizhu_v4.env(visible))
    for name in names():
        game = make(name, {})
        text = inspect.cleandoc(type(observer_of(game)).__doc__ or "")
        yield from ("", f"### {game.title}: what is seen", "", *text.splitlines())
    yield ""


def roles() -> Iterator[str]:
    """The cells of each rank, by the hand of a seat that has all cards of it, and those of `dou_dizhu_v4`."""
    yield from ("", "| card | cells of 54 |", "|---|---|")
    for rank in RANKS:
        own, one, other = (
            [rank] * (1 if rank in "BR" else 4),
            *[other for other in "345" if other != rank][:2],
        )
        play = Play(make("dou_dizhu", {}))
        play.reset(deals=[{"hands": [own, [one], [other]], "landlord": 0}])
        cells = np.flatnonzero(observer_of(play.game).vector(play, 0)[:54]).tolist()
        yield f"| `{rank}` | {cells[0]}{f':{cells[-1] + 1}' if len(own) > 1 else ''} |"
    yield from ("", *inspect.cleandoc(RoleObserver.__doc__ or "").splitlines(), "")


@pytest.mark.parametrize(("begin", "made"), [(BEGIN, tables), (BEGIN_ROLES, roles)])
def test_the_tables_are_those_of_the_code(
    begin: str, made: Callable[[], Iterator[str]], request: pytest.FixtureRequest
) -> None:
    before, _, rest = PAGE.read_text().partition(begin)
    _, _, after = rest.partition(END)
    page = before + begin + "\n".join(made()) + "\n" + END + after
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(page)
    assert page == PAGE.read_text()


def test_sizes_beside_those_of_others_are_ours() -> None:
    def cells_of(env: Arena, agent: str) -> int:
        shape = env.observation_space(agent)["observation"].shape
        assert shape is not None
        return shape[0]

    cells = cells_of(envs.aec("dou_dizhu"), "seat_0")
    roles = [
        str(cells_of(dou_dizhu_v4.env(visible), agent))
        for visible in (False, True)
        for agent in ("landlord_0", "peasant_0")
    ]
    rows = {
        row.split("|")[1].strip(): row.split("|")[2:] for row in PAGE.read_text().splitlines() if "|" in row
    }
    assert rows["Dou Dizhu's ids"][0].strip() == f"{envs.aec('dou_dizhu').action_space('seat_0').n:,}"
    ours, rlcard, pettingzoo, *_ = rows["Dou Dizhu's observation"]
    assert ours.strip() == f"{cells:,} cells; by role {' or '.join(roles[:2])}"
    assert rlcard.strip().startswith(" or ".join(roles[2:]))
    assert pettingzoo.strip() == f"{' or '.join(roles[:2])}; {' or '.join(roles[2:])} with them"


def run_example(section: str, number: int = 0) -> str:
    """The text of a section, of whose examples one is run."""
    text = PAGE.read_text().partition(f"## {section}\n")[2].partition("\n## ")[0]
    exec(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[number], {})
    return text


def test_the_ladder_of_the_page_comes_out_as_it_stands_there(capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.findall(r"^```text\n(.*?)^```", run_example("How good is it?"), re.MULTILINE | re.DOTALL)[0]
    assert capsys.readouterr().out == shown + "[False, True]\n"


def test_the_self_play_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("Self-play")
    said = capsys.readouterr().out
    assert all(name in said for name in ("first", "second", "random", "learner-2"))


def test_the_examples_of_a_batch_run(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("Many matches at once")
    run_example("Many matches at once", 1)
    assert 0 <= float(capsys.readouterr().out) <= 4


@pytest.mark.parametrize("game", names())
def test_the_page_names_the_shipped_bots_of_a_game(game: str) -> None:
    shipped = ", ".join(f"`{name}`" for name in bot_names(game) if name != "random")
    assert f"| `{game}` | {shipped} |" in PAGE.read_text()
