"""Authors of a season, and their people: added or invited, given tokens, known again by them.

A token is 32 bytes from the system, shown once; the store has its SHA-256 alone, so a reader of the store
cannot send a program with it. The same holds for the code of an invitation, which makes authors, or people of
a player; who joined may leave, or be removed.

No two names are ones that a reader would take for one. What a name looks like is made by a plain rule:
compatibility forms, case, accents and spaces are taken away, letters of other alphabets that look like Latin
ones become these, and alike become ``0`` and ``o``; ``1``, ``i``, ``l`` and ``|``; ``rn`` and ``m``; ``vv``
and ``w``. Besides, the letters of a name are of one alphabet, since no table has all pairs.
"""

from __future__ import annotations

import secrets
import unicodedata
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError, did_you_mean
from arbiter.season.config.value_types import check_name
from arbiter.store.audit import moment
from arbiter.store.invitations import UsedUp
from arbiter.store.people import spelled
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.authors import Author

TOKEN_BYTES = 32
CODE_LETTERS, CODE_LENGTH, CODE_GROUP = "abcdefghjkmnpqrstuvwxyz23456789", 16, 4
"""A code is read from a blackboard: no two letters look alike. 79 bits."""
LASTS = timedelta(days=7)
"""Of a code to a player."""
FEW = 20
"""Names that a hint may list."""
_CYRILLIC = dict(zip("авгеһзіјкмнопрстухѕьԁԛԝӏ", "abreh3ijkmhonpctyxsbdqwl", strict=True))
_GREEK = dict(zip("αβγεζηικμνοπρτυχω", "abyeznikmvonptuxw", strict=True))
_ARMENIAN = dict(zip("օսոհցյզ", "ounhgjq", strict=True))
_LATIN = {"ı": "l", "i": "l", "1": "l", "|": "l", "0": "o", "ɑ": "a", "ɡ": "g", "ø": "o", "ł": "l", "đ": "d"}
_TO_LATIN = str.maketrans({**_CYRILLIC, **_GREEK, **_ARMENIAN})
_ALIKE = str.maketrans(_LATIN)
_WRITTEN_TOGETHER = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "LATIN"})
"""Scripts that stand in one name in East Asia."""


def hash_of(token: str) -> str:
    """Return the hash by which the store knows a token, or a session."""
    return sha256(token.encode(errors="replace")).hexdigest()


def new_token() -> str:
    """Make a token; it begins with a letter or a digit, so that shells and tables leave it as it is."""
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
    settled = free_names(config, stored, names)
    return [(name, add_author(stored, name, organiser, who)) for name in settled]


def free_names(config: Config, stored: SeasonStore, names: Sequence[str]) -> list[str]:
    """The names as they are kept; ConfigError where one is none, or taken."""
    taken = [author.name for author in stored.authors.all()]
    taken += [entry.registered_name for entry in config.entries]
    # The log names people so.
    taken += [spelled(one.player, one.member) for people in stored.members.all().values() for one in people]
    settled: list[str] = []
    for name in map(settled_name, names):
        refuse_alike(name, [*taken, *settled])
        settled.append(name)
    return settled


def add_author(stored: SeasonStore, name: str, organiser: bool, who: str, code: str | None = None) -> str:
    """Make an author with a settled name, with the SHA-256 of a `code` by an invitation; the token."""
    token = new_token()
    if not stored.authors.add(name, looks(name), hash_of(token), organiser, who, code):
        raise ConfigError(f"the name {name} is taken", hint="take another one")
    return token


def renew(stored: SeasonStore, name: str, who: str, member: str | None = None, living: bool = False) -> str:
    """Another token for one of an author's people, the old one being dead at once.

    ConfigError if there is no such author or `member`; None and the author's own name are the first one, who
    may have none now unless it must be `living`. What comes of who is gone meanwhile is a dead token.
    """
    author, token = author_named(stored, name), new_token()
    whom = None if member is None else member_named(stored, author.name, member)
    stored.authors.set_token(author.name, hash_of(token), who, whom, living)
    return token


def revoke(stored: SeasonStore, name: str, who: str) -> list[str]:
    """No token for an author, until it is renewed; ConfigError if there is none to take away.

    What never played is dropped: the names of its files, which the caller removes.
    """
    author = author_named(stored, name)
    if not author.alive:
        raise ConfigError(f"{author.name} has no token", hint="arbiter authors renew gives one")
    return stored.authors.set_token(author.name, None, who)


def member_named(stored: SeasonStore, player: str, name: str) -> str | None:
    """One of a player's people as the store knows him; ConfigError if there is none of this name."""
    if name == player:
        return None
    people = [one.name for one in stored.members.of(player)]
    if name not in people:
        hint = did_you_mean(name, people) if people else "arbiter authors renew gives a token"
        raise ConfigError(f"{player} has nobody called {name!r}", hint=hint)
    return name


def author_named(stored: SeasonStore, name: str) -> Author:
    """An author; ConfigError if there is none of this name."""
    found = stored.authors.named(name)
    if found is None:
        known = [author.name for author in stored.authors.all()]
        hint = did_you_mean(name, known) if 0 < len(known) <= FEW else "arbiter authors list names them"
        raise ConfigError(f"no author {name!r}", hint=hint)
    return found


def settled_name(text: str) -> str:
    """A name as it is kept; ConfigError for one that is none, or mixes alphabets."""
    name = unicodedata.normalize("NFKC", text)
    check_name(name)
    if printable(name) != name:
        raise ConfigError(f"not a name: {text!r} has characters that nobody sees", hint="leave them out")
    scripts = {unicodedata.name(mark, "?").split()[0] for mark in name if mark.isalpha()}
    if len(scripts) > 1 and not scripts <= _WRITTEN_TOGETHER:
        words = " and ".join(sorted(script.capitalize() for script in scripts))
        raise ConfigError(f"{name} mixes letters: {words}", hint="take those of one alphabet")
    return name


def looks(name: str) -> str:
    """Return what a reader may take a name for: equal for names that look alike."""
    text = unicodedata.normalize("NFKC", name).casefold()
    bare = "".join(
        mark
        for mark in unicodedata.normalize("NFD", text)
        if unicodedata.category(mark) not in ("Mn", "Me", "Cf", "Zs")
    )
    return bare.translate(_TO_LATIN).translate(_ALIKE).replace("rn", "m").replace("vv", "w")


def refuse_alike(name: str, taken: Iterable[str]) -> None:
    """ConfigError where a name is taken, or looks like one that is."""
    for other in taken:
        if looks(other) == looks(name):
            what = "is taken" if other == name else f"looks like {other}, which is taken"
            raise ConfigError(f"the name {name} {what}", hint="take another one")


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
