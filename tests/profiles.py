"""How many examples hypothesis tries: all in the profile `thorough`, a fourth in `ci`, the usual one.

The environment variable `ARBITER_TEST_PROFILE` chooses. No example has a deadline: machines are busy.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

__all__ = ["examples"]

PROFILE = os.environ.get("ARBITER_TEST_PROFILE", "ci")
FEWEST = 5


def examples(count: int) -> settings:
    """Settings that try `count` examples, or the part of them that the profile asks for."""
    return settings(max_examples=_part(count, PROFILE))


def _part(count: int, profile: str) -> int:
    return count if profile == "thorough" else max(FEWEST, count // 4)


for name in ("ci", "thorough"):
    settings.register_profile(
        name,
        max_examples=_part(100, name),
        deadline=None,
        # How long it takes to make an example depends on what else the machine does.
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(PROFILE)
