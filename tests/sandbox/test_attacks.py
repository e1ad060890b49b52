"""Every attack of bots/faulty ends as the tables of its README say, by tier, and harms nobody else."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.trials.sandboxcheck.attack_folder import AttackFolder
from arbiter.trials.sandboxcheck.attack_suite import play_attack
from arbiter.trials.sandboxcheck.covert_channels import TELLING
from arbiter.trials.sandboxcheck.expectations import Attack, attacks, is_as_promised
from tests.fixtures.profiles import PROFILE
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
SYSTEM_PYTHON = "/usr/bin/python3"
NOBODY = 65534
MEASURED = 8
ME, ORDINARY = "me", "an ordinary user"
SEATINGS = [(ME, "plain"), (ME, "landlock"), (ORDINARY, "landlock")]
OF_ANY_USER = ("match", "memory", "program", "share", "stretch", "survey")
"""Kinds of attacks that end alike for all users: the usual profile tries a fourth as an ordinary user."""
OF_MANY_MATCHES = ("memory", "share", "survey")
"""Kinds that play 7 to 25 matches each: the usual profile tries them as one user."""
CASES = [
    pytest.param(who, tier, attack, id=f"{who}-{tier}-{attack.name}")
    for who, tier in SEATINGS
    for number, attack in enumerate(attacks())
    if PROFILE == "thorough"
    or (number % 4 == 0 and (who == ME or attack.kind not in OF_MANY_MATCHES))
    or (tier != "plain" and (who == ME or attack.kind not in OF_ANY_USER))
]
"""The tier `plain` promises little: the usual profile tries a fourth under it."""
DISTURBERS = {
    "plain": ("spinning_threads", "spinning_children", "noisy_threads"),
    "landlock": ("spinning_threads", "error_flood", "noisy_threads"),
}


@pytest.fixture(scope="module")
def places() -> Iterator[Callable[[str], AttackFolder]]:
    """A place for each kind of user, made when it is first wanted; all gone at the end."""
    made: dict[str, AttackFolder] = {}
    with ExitStack() as stack:

        def place(who: str) -> AttackFolder:
            if who not in made:
                made[who] = stack.enter_context(AttackFolder() if who == ME else of_nobody(stack))
            return made[who]

        yield place


def of_nobody(stack: ExitStack) -> AttackFolder:
    """Where a user plays who can read neither the work tree nor its Python."""
    if missing := no_ordinary_user():
        pytest.skip(missing)
    library = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arbiter-library-")))
    library.chmod(0o755)
    shutil.copytree(ROOT / "arbiter", library / "arbiter", ignore=shutil.ignore_patterns("__pycache__"))
    return AttackFolder(SYSTEM_PYTHON, NOBODY, str(library))


def no_ordinary_user() -> str:
    """Why no match can be played as an ordinary user; "" if it can."""
    if os.geteuid() != 0:
        return "not root: the tests run as an ordinary user anyway"
    asked = "import sys, ctypes, hashlib; sys.exit(sys.version_info < (3, 11))"
    try:
        done = subprocess.run(
            [SYSTEM_PYTHON, "-c", asked], user=NOBODY, group=NOBODY, extra_groups=[], check=False
        )
    except OSError as error:
        return f"nothing can be run as user {NOBODY}: {error}"
    return f"{SYSTEM_PYTHON} is not Python >= 3.11" if done.returncode else ""


@pytest.mark.parametrize(("who", "tier", "attack"), CASES)
def test_an_attack_ends_as_the_table_says(
    who: str, tier: str, attack: Attack, places: Callable[[str], AttackFolder]
) -> None:
    need(tier)
    result = play_attack(places(who), tier, attack)
    if result.skipped:
        pytest.skip(result.skipped)
    assert result.harm == ""
    promised = {
        one.attempt: cell for one in attack.promises if (cell := one.under(tier, result.stage, result.groups))
    }
    broken = {
        attempt: result.met[attempt]
        for attempt in promised
        if not is_as_promised(promised[attempt], result.met[attempt])
    }
    assert broken == {}


@pytest.mark.parametrize(("who", "tier"), SEATINGS)
def test_a_victim_is_charged_the_same_whoever_sits_with_it(
    who: str, tier: str, places: Callable[[str], AttackFolder]
) -> None:
    place = places(who)
    if place.missing:
        pytest.skip(place.missing)
    need(tier)
    alone = place.others("victim")
    beset = [alone[0], *(place.attack(name) | {"name": name} for name in DISTURBERS[tier])]
    # Worker and bots on one core, as in a season.
    changes = {"deals": [[6, 0]], "time": "20s", "core": min(os.sched_getaffinity(0))}
    charged: list[tuple[int, ...]] = []
    for _ in range(3 * MEASURED):
        pair = []
        for players in (alone, beset):
            outcome = place.ask(place.job(tier, players, **changes))
            assert outcome["record"]["forfeit"] is None, outcome["record"]["forfeit"]
            pair.append(outcome["record"]["bots"][0]["charged_ns"])
            assert outcome["left"] == []
        charged.append(tuple(pair))
        # What the hypervisor steals, and other programs' use of the caches, only ever adds.
        least_alone, least_beset = map(min, zip(*charged, strict=True))
        if abs(least_beset / least_alone - 1) <= 0.05:
            return
    pytest.fail(f"charged alone and beset: {charged}")


def test_every_attack_stands_in_the_tables(places: Callable[[str], AttackFolder]) -> None:
    programs = {attack.name for attack in attacks() if attack.kind == "program"} | {"memory"}
    listed = {name for attack in attacks() for name in attack.name.split("-")} - programs
    assert set(places(ME).attackers) - set(TELLING) == listed
