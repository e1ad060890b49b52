"""The differences between two versions of a season's settings, described for its organiser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.season.config.models import PriceKeys

LONGEST = 60
"""Characters of a value; a longer one loses its beginning, which is alike in most commands."""
SHOWN = 6
"""Changes named in one line; more are counted."""
LATER: Mapping[str, Any] = {
    "after_fault": "end", "anchors": None, "attempts": 2, "languages": {}, "suspend_share": 1, "tokens": None,
}  # fmt: skip
"""Keys of later versions, with the values of the behaviour before them, which settings leave out."""
GONE: Mapping[tuple[str, Any], Any] = {("isolation", "bwrap"): "auto"}
"""Obsolete values by key, and their replacements for rounds begun with them."""
Role: TypeAlias = Literal["", "house", "rung"]
"""Why a player of the file has no official rank; "" for a ranked player."""
VERSION_MARK = "@"
"""Between a player's name and its version; no name has it."""


def role_of(house: bool, rung: bool) -> Role:
    """Return the role of a player with these keys of the file."""
    return "rung" if rung else "house" if house else ""


def is_sent(player: Mapping[str, Any]) -> bool:
    """True for a player of settings that is an author's version."""
    return "sha256" in player


def without_gone(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the replacements, by key, of obsolete values (`GONE`) in earlier settings."""
    return {key: now for (key, value), now in GONE.items() if settings.get(key) == value}


def organiser_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without authors' versions."""
    return {**settings, "players": [player for player in settings["players"] if not is_sent(player)]}


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield a phrase for each difference between two settings, with players by rated name."""
    for key in sorted({*before, *now} - {"players"}):
        old_value, value = (settings.get(key, LATER.get(key)) for settings in (before, now))
        if old_value != value:
            yield f"{key}: {_change(old_value, value)}"
    old, new = _by_rated_name(before), _by_rated_name(now)
    for name in new:
        if name not in old:
            yield f"{name} is new"
    for name in old:
        if name not in new:
            yield f"{name} is withdrawn"
    for name, player in new.items():
        if name in old and old[name] != player:
            changed = [key for key in {**old[name], **player} if player.get(key) != old[name].get(key)]
            is_other = {"command", "model"}.intersection(changed)
            hint = " (another program should get another version)" if is_other else ""
            parts = ", ".join(f"{key}: {_change(old[name].get(key), player.get(key))}" for key in changed)
            yield f"{name} has another {parts}{hint}"


def changed_players(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the rated names of new players and of those whose entry has changed.

    Authors' versions never change: an earlier version that plays again keeps its faults.
    """
    old = _by_rated_name(before)
    return [
        name
        for name, player in _by_rated_name(now).items()
        if old.get(name) != player and not is_sent(player)
    ]


def in_one_line(found: Iterator[str]) -> str:
    """Join the first `SHOWN` phrases by semicolons, with the number of others."""
    phrases = list(found)
    more = len(phrases) - SHOWN
    return "; ".join(phrases[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _by_rated_name(settings: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {
        rated_name(player["name"], player.get("version")): player for player in settings.get("players", ())
    }


def rated_name(name: str, version: object) -> str:
    """Return the name that a player is rated as: ``alice``, or ``alice@2``."""
    return name if version is None else f"{name}{VERSION_MARK}{version}"


def registered_name(rated: str) -> str:
    """Return the registered name of a rated one: ``alice`` for ``alice@2``."""
    return rated.partition(VERSION_MARK)[0]


def price_of(prices: Mapping[str, PriceKeys] | None, rated: str) -> PriceKeys | None:
    """Return the price of a player's tokens: of the version, else of all versions; None without a price."""
    prices = prices or {}
    return prices.get(rated, prices.get(registered_name(rated)))


def _change(before: object, now: object) -> str:
    """Return ``old -> new``: of two mappings the keys that differ, of two lists the rest that differs."""
    if isinstance(before, dict) and isinstance(now, dict):
        keys = [key for key in {**before, **now} if before.get(key) != now.get(key)]
        return ", ".join(f"{key}: {_text(before.get(key))} -> {_text(now.get(key))}" for key in keys)
    if isinstance(before, list) and isinstance(now, list):
        same = next((n for n, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), None)
        same = min(len(before), len(now)) if same is None else same
        return f"{_changed_words(before, same)} -> {_changed_words(now, same)}"
    return f"{_text(before)} -> {_text(now)}"


def _changed_words(values: list[Any], same: int) -> str:
    """Return the words from number `same` on, after "..." if that is not 0."""
    return ("... " if same else "") + (" ".join(map(_text, values[same:])) or "nothing more")


def _text(value: object) -> str:
    """Return a text, or another value as JSON; a long one without its beginning."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else "..." + text[3 - LONGEST :]
