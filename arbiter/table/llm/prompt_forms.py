"""A model's settings for a match: its rules, and the form of its prompts."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from arbiter.games.cards import Stream
from arbiter.games.samples import manual_of, without_file_links
from arbiter.table.llm.prompts import other_names

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.spec import ModelEntry


def identity_of(entry: ModelEntry) -> str:
    """Return a model's settings for people: ``large-2, 2026-11-01, effort high, harness 1, whole``."""
    parts = [
        entry.name,
        entry.date,
        f"effort {entry.effort}" * bool(entry.effort),
        f"harness {entry.harness}",
    ]
    parts += [entry.state, f"legal answers {'shown' if entry.legal else 'hidden'}", f"{entry.names} names"]
    return ", ".join(filter(None, parts))


def form_of(game: AnyGame, match: str, seat: Seat, entry: ModelEntry) -> dict[str, Any]:
    """Return how a seat is prompted: `state` and `legal` as in the model's entry, and `names`.

    `names` has the other names of suits and ranks, random for each seat of each match; {} unless exchanged.
    """
    names = names_of(game, match, seat) if entry.names == "exchanged" else {}
    return {"state": entry.state, "legal": entry.legal, "names": names}


def names_of(game: AnyGame, match: str, seat: Seat) -> dict[str, str]:
    """Return other names for suits and ranks, random for each seat of each match."""
    return other_names(game, Stream("arbiter-names", match, seat).draw)


def rules_of(game: AnyGame) -> str:
    """Return the rules in a model's prompt."""
    return without_file_links(manual_of(game.name) or game.manual)


def digest_of_rules(game: AnyGame) -> str:
    """Return the SHA-256 of the rules in a model's prompt."""
    return sha256(rules_of(game).encode()).hexdigest()
