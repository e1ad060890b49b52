"""Accounts of authors and their people: add, invite, join, remove, renew and revoke tokens.

A token has 32 random bytes and is shown once; the store has only its SHA-256, so a reader of the store cannot
use it. The same holds for the code of an invitation, with which people become authors or join a player.

No two names may look alike. Names are compared without compatibility forms, case, accents and spaces; letters
of other alphabets that look Latin become Latin; and these are equal: ``0`` and ``o``; ``1``, ``i``, ``l`` and
``|``; ``rn`` and ``m``; ``vv`` and ``w``. The letters of a name must be of one alphabet, since no table has
all pairs of look-alikes.
"""

from __future__ import annotations

import secrets
import unicodedata
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, did_you_mean
from arbiter.season.config.value_types import check_name
from arbiter.store.audit import timestamp
from arbiter.store.invitations import InvalidInvitation
from arbiter.store.people import audit_name
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.authors import Author

TOKEN_BYTES = 32
CODE_LETTERS, CODE_LENGTH, CODE_GROUP = "abcdefghjkmnpqrstuvwxyz23456789", 16, 4
"""Codes are copied by hand: no two letters look alike. 79 bits."""
LASTS = timedelta(days=7)
"""The validity of an invitation to a player."""
FEW = 20
"""The most names in a hint."""
_CYRILLIC = dict(zip("авгеһзіјкмнопрстухѕьԁԛԝӏ", "abreh3ijkmhonpctyxsbdqwl", strict=True))
_GREEK = dict(zip("αβγεζηικμνοπρτυχω", "abyeznikmvonptuxw", strict=True))
_ARMENIAN = dict(zip("օսոհցյզ", "ounhgjq", strict=True))
_LATIN = {"ı": "l", "i": "l", "1": "l", "|": "l", "0": "o", "ɑ": "a", "ɡ": "g", "ø": "o", "ł": "l", "đ": "d"}
_TO_LATIN = str.maketrans({**_CYRILLIC, **_GREEK, **_ARMENIAN})
_ALIKE = str.maketrans(_LATIN)
_WRITTEN_TOGETHER = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "LATIN"})
"""Scripts that East Asian names mix."""


def hash_of(token: str) -> str:
    """Return the hash of a token or session, as stored."""
    return sha256(token.encode(errors="replace")).hexdigest()


def new_token() -> str:
    """Create a token; it starts with a letter or digit, so that it is no option or formula."""
    while not (token := secrets.token_urlsafe(TOKEN_BYTES))[0].isalnum():
        pass
    return token


def add_authors(
    config: Config, stored: SeasonStore, names: Sequence[str], organiser: bool, who: str
) -> list[tuple[str, str]]:
    """Add authors, or with `organiser` organisers; return their normalised names and tokens.

    `who` is the person in the audit log. ConfigError, and no author is added, if a name is invalid, or it or
    a look-alike is taken.
    """
    settled = free_names(config, stored, names)
    return [(name, add_author(stored, name, organiser, who)) for name in settled]


def free_names(config: Config, stored: SeasonStore, names: Sequence[str]) -> list[str]:
    """Normalise names and look them up in the season; ConfigError if one is invalid or taken."""
    taken = [author.name for author in stored.authors.all()]
    taken += [entry.registered_name for entry in config.entries]
    # The names of people in the audit log.
    taken += [
        audit_name(one.player, one.member) for people in stored.members.all().values() for one in people
    ]
    settled: list[str] = []
    for name in map(settled_name, names):
        refuse_alike(name, [*taken, *settled])
        settled.append(name)
    return settled


def add_author(stored: SeasonStore, name: str, organiser: bool, who: str, code: str | None = None) -> str:
    """Store an author, by an invitation's hash `code` if given; return the token. ConfigError if taken."""
    token = new_token()
    if not stored.authors.add(name, looks(name), hash_of(token), organiser, who, code):
        raise ConfigError(f"the name {name} is taken", hint="choose another one")
    return token


def renew(stored: SeasonStore, name: str, who: str, member: str | None = None, living: bool = False) -> str:
    """Replace the token of one of an author's people; the old one is invalid at once. Return the new one.

    `member` None or the author's name is the first person, who gets a token even after losing it unless
    `living` is set. ConfigError if there is no such author or member; if the person is removed meanwhile, the
    new token is invalid.
    """
    author, token = author_named(stored, name), new_token()
    whom = None if member is None else member_named(stored, author.name, member)
    stored.authors.set_token(author.name, hash_of(token), who, whom, living)
    return token


def revoke(stored: SeasonStore, name: str, who: str) -> list[str]:
    """Revoke the tokens of an author and its people; ConfigError if it has none.

    Versions that never played are dropped: return their file names, for the caller to delete.
    """
    author = author_named(stored, name)
    if not author.alive:
        raise ConfigError(f"{author.name} has no token", hint="arbiter authors renew creates one")
    return stored.authors.set_token(author.name, None, who)


def member_named(stored: SeasonStore, player: str, name: str) -> str | None:
    """Look up a player's person; return the member name, None for the first. ConfigError if unknown."""
    if name == player:
        return None
    people = [one.name for one in stored.members.of(player)]
    if name not in people:
        hint = did_you_mean(name, people) if people else "arbiter authors renew creates a token"
        raise ConfigError(f"{player} has no member {name!r}", hint=hint)
    return name


def author_named(stored: SeasonStore, name: str) -> Author:
    """Load the author of this name; ConfigError if unknown."""
    found = stored.authors.find(name)
    if found is None:
        known = [author.name for author in stored.authors.all()]
        hint = did_you_mean(name, known) if 0 < len(known) <= FEW else "arbiter authors list prints them"
        raise ConfigError(f"no author {name!r}", hint=hint)
    return found


def settled_name(text: str) -> str:
    """Return a name in NFKC; ConfigError as `check_name`, for invisible characters, or two alphabets."""
    name = unicodedata.normalize("NFKC", text)
    check_name(name)
    if printable(name) != name:
        raise ConfigError(f"not a name: {text!r} has invisible characters", hint="leave them out")
    scripts = {unicodedata.name(mark, "?").split()[0] for mark in name if mark.isalpha()}
    if len(scripts) > 1 and not scripts <= _WRITTEN_TOGETHER:
        words = " and ".join(sorted(script.capitalize() for script in scripts))
        raise ConfigError(f"{name} mixes alphabets: {words}", hint="use letters of one")
    return name


def looks(name: str) -> str:
    """Return a key that is equal for names that look alike."""
    text = unicodedata.normalize("NFKC", name).casefold()
    bare = "".join(
        mark
        for mark in unicodedata.normalize("NFD", text)
        if unicodedata.category(mark) not in ("Mn", "Me", "Cf", "Zs")
    )
    return bare.translate(_TO_LATIN).translate(_ALIKE).replace("rn", "m").replace("vv", "w")


def refuse_alike(name: str, taken: Iterable[str]) -> None:
    """Raise ConfigError if a name is taken, or looks like a taken one."""
    for other in taken:
        if looks(other) == looks(name):
            what = "is taken" if other == name else f"looks like {other}, which is taken"
            raise ConfigError(f"the name {name} {what}", hint="choose another one")


def invite(stored: SeasonStore, uses: int, who: str) -> str:
    """Store an invitation for a number of authors; return its code."""
    letters = _random_letters()
    stored.invitations.add(hash_of(letters), uses, who)
    return _grouped(letters)


def invite_to(stored: SeasonStore, player: str, uses: int, who: str, per_day: int | None = None) -> str:
    """Store an invitation to a player for a number of people, valid for `LASTS`; return its code.

    ConfigError for an unknown or full player; RateLimited as for `InvitationStore.add`.
    """
    author, letters = author_named(stored, player), _random_letters()
    if author.organiser:
        what = f"{player} is an organiser, who has no members"
        raise ConfigError(what, hint="arbiter authors add --organiser adds another one")
    stored.invitations.add(hash_of(letters), uses, who, author.name, timestamp(LASTS), per_day)
    return _grouped(letters)


def hash_of_code(text: str) -> str:
    """Return the hash of an invitation's code, as stored; case and separators do not matter."""
    return hash_of("".join(letter for letter in text.lower() if letter.isalnum()))


def join(config: Config, stored: SeasonStore, code: str, name: str) -> str:
    """Become an author, or join a player, by an invitation; return the token.

    ConfigError as for `add_authors`, InvalidInvitation, or PlayerFull if the player has no room.
    """
    digest = hash_of_code(code)
    found = stored.invitations.find(digest)
    if found is None:
        raise InvalidInvitation
    if found.player is None:
        (settled,) = free_names(config, stored, [name])
        return add_author(stored, settled, False, settled, digest)
    return _join_player(stored, found.player, code=digest, name=name)


def remove(stored: SeasonStore, player: str, name: str, who: str, verb: str = "remove") -> None:
    """Remove one of a player's people; ConfigError if there is no such person, or it is the last."""
    author = author_named(stored, player)
    member = member_named(stored, author.name, name)
    if not stored.members.remove(author.name, member, who, verb):
        raise ConfigError(f"{audit_name(author.name, member)} has no token")


def _join_player(stored: SeasonStore, player: str, code: str, name: str) -> str:
    """Store a person of a player, by an invitation; return the token. ConfigError if the name is taken."""
    settled = settled_name(name)
    if "/" in settled:
        raise ConfigError(f"not a name: {settled!r}", hint="leave out the /")
    refuse_alike(settled, [player, *(one.name for one in stored.members.of(player))])
    refuse_alike(audit_name(player, settled), (author.name for author in stored.authors.all()))
    token = new_token()
    if not stored.members.add(player, settled, looks(settled), hash_of(token), code):
        raise ConfigError(f"the name {settled} is taken", hint="choose another one")
    return token


def _random_letters() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def _grouped(letters: str) -> str:
    return "-".join(letters[start : start + CODE_GROUP] for start in range(0, CODE_LENGTH, CODE_GROUP))
