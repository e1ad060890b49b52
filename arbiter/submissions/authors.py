"""Authors of a season: added, given tokens, known again by them.

A token is 32 bytes from the system, shown once; the store has its SHA-256 alone, so whoever reads the store
cannot send a program with it.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, did_you_mean
from arbiter.submissions.names import looks, refuse_alike, settled_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.authors import Author

TOKEN_BYTES = 32
FEW = 20
"""Names that a hint may list."""


def hash_of(token: str) -> str:
    """What the store knows a token, or a session, by."""
    return sha256(token.encode(errors="replace")).hexdigest()


def _new_token() -> str:
    """A token; it begins with a letter or a digit, so that shells and tables leave it as it is."""
    while not (token := secrets.token_urlsafe(TOKEN_BYTES))[0].isalnum():
        pass
    return token


def add_authors(
    config: Config, stored: SeasonStore, names: Sequence[str], organiser: bool, who: str
) -> list[tuple[str, str]]:
    """Add authors; each one's name as it is kept, and its token.

    ConfigError where a name is none, is taken by an author or a player, or looks like one that is; then
    nobody is added.
    """
    taken = [author.name for author in stored.authors.all()]
    taken += [entry.registered_name for entry in config.entries]
    settled: list[str] = []
    for name in map(settled_name, names):
        refuse_alike(name, [*taken, *settled])
        settled.append(name)
    given = []
    for name in settled:
        token = _new_token()
        if not stored.authors.add(name, looks(name), hash_of(token), organiser, who):
            raise ConfigError(f"the name {name} is taken", hint="take another one")
        given.append((name, token))
    return given


def renew(stored: SeasonStore, name: str, who: str) -> str:
    """Another token for an author, the old one being dead at once; ConfigError if there is no such author."""
    author, token = author_named(stored, name), _new_token()
    stored.authors.set_token(author.name, hash_of(token), who)
    return token


def revoke(stored: SeasonStore, name: str, who: str) -> list[str]:
    """No token for an author, until it is renewed; ConfigError if there is none to take away.

    What never played is dropped: the names of its files, which the caller removes.
    """
    author = author_named(stored, name)
    if not author.alive:
        raise ConfigError(f"{author.name} has no token", hint="arbiter authors renew gives one")
    return stored.authors.set_token(author.name, None, who)


def author_named(stored: SeasonStore, name: str) -> Author:
    """An author; ConfigError if there is none of this name."""
    found = stored.authors.named(name)
    if found is None:
        known = [author.name for author in stored.authors.all()]
        hint = did_you_mean(name, known) if 0 < len(known) <= FEW else "arbiter authors list names them"
        raise ConfigError(f"no author {name!r}", hint=hint)
    return found
