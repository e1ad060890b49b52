"""The rules and commands of each built-in game, in Markdown, as `docs/reference` of the repository has them.

``setup.py`` puts those pages into the built package.
"""

from __future__ import annotations

from arbiter.samples import GAMES, HERE

BUILT, CHECKOUT = HERE / "reference", HERE.parents[1] / "docs" / "reference"
PROTOCOL = "protocol"
"""What holds in every game."""


def manual_of(name: str) -> str:
    """The page of a game, or of the `PROTOCOL`; "" where there is none."""
    if name not in (*GAMES, PROTOCOL):
        return ""
    folder = BUILT if BUILT.is_dir() else CHECKOUT
    return (folder / f"{name}.md").read_text(encoding="utf-8")
