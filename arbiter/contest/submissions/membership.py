"""Invitations: a code makes authors, or people of a player; who joined may leave, or be taken out.

The store has the SHA-256 of a code alone. No two people of a player have names that a reader would take for
one, nor one that looks like the player's, which is that of its first.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from arbiter.contest.submissions.author_accounts import (
    add_author,
    author_named,
    free_names,
    hash_of,
    looks,
    member_named,
    new_token,
    refuse_alike,
    settled_name,
)
from arbiter.errors import ConfigError
from arbiter.store.audit import moment
from arbiter.store.invitations import UsedUp
from arbiter.store.people import spelled

if TYPE_CHECKING:
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

CODE_LETTERS, CODE_LENGTH, CODE_GROUP = "abcdefghjkmnpqrstuvwxyz23456789", 16, 4
"""A code is read from a blackboard: no two letters look alike. 79 bits."""
LASTS = timedelta(days=7)
"""Of a code to a player."""


def invite(stored: SeasonStore, uses: int, who: str) -> str:
    """Make an invitation of so many authors; its code."""
    letters = _letters()
    stored.invitations.add(hash_of(letters), uses, who)
    return _written(letters)


def invite_to(stored: SeasonStore, player: str, uses: int, who: str, per_day: int | None = None) -> str:
    """Make an invitation of so many people to a player, which ends after `LASTS`; its code.

    ConfigError where there is no such player, or it has no room for so many; TooMany as `InvitationBook.add`.
    """
    author, letters = author_named(stored, player), _letters()
    if author.organiser:
        raise ConfigError(f"{player} is an organiser, who acts alone", hint="arbiter authors add --organiser")
    stored.invitations.add(hash_of(letters), uses, who, author.name, moment(LASTS), per_day)
    return _written(letters)


def hash_of_code(text: str) -> str:
    """Return the hash by which the store knows an invitation, however its code was typed."""
    return hash_of("".join(letter for letter in text.lower() if letter.isalnum()))


def join(config: Config, stored: SeasonStore, code: str, name: str) -> str:
    """Make an author by an invitation, or one of a player's people; the token.

    ConfigError as for `add_authors`, or UsedUp, or Full where the player has no room.
    """
    digest = hash_of_code(code)
    found = stored.invitations.find(digest)
    if found is None:
        raise UsedUp
    if found.player is None:
        (settled,) = free_names(config, stored, [name])
        return add_author(stored, settled, False, settled, digest)
    return _join(stored, found.player, code=digest, name=name)


def remove(stored: SeasonStore, player: str, name: str, who: str, verb: str = "remove") -> None:
    """Take one of a player's people out; ConfigError where there is none such, or it is the last."""
    author = author_named(stored, player)
    member = member_named(stored, author.name, name)
    if not stored.members.remove(author.name, member, who, verb):
        raise ConfigError(f"{spelled(author.name, member)} has no token")


def _join(stored: SeasonStore, player: str, code: str, name: str) -> str:
    settled = settled_name(name)
    if "/" in settled:
        raise ConfigError(f"not a name: {settled!r}", hint="leave the / out")
    refuse_alike(settled, [player, *(one.name for one in stored.members.of(player))])
    refuse_alike(spelled(player, settled), (author.name for author in stored.authors.all()))
    token = new_token()
    if not stored.members.add(player, settled, looks(settled), hash_of(token), code):
        raise ConfigError(f"the name {settled} is taken", hint="take another one")
    return token


def _letters() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def _written(letters: str) -> str:
    return "-".join(letters[start : start + CODE_GROUP] for start in range(0, CODE_LENGTH, CODE_GROUP))
