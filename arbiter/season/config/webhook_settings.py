"""Webhooks: the values of the key ``webhooks``, and the secrets that sign their deliveries."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args
from urllib.parse import SplitResult, urlsplit

from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

EventName: TypeAlias = Literal[
    "match", "rejudged", "round", "standings", "state", "submission", "suspended", "request", "announcement"
]
Form: TypeAlias = Literal["json", "discord", "slack"]
USUAL_EVENTS: tuple[EventName, ...] = tuple(name for name in get_args(EventName) if name != "match")
"""All except `match`, which is a hundred times as frequent."""
LEAST_SECRET, MOST_SECRET = 16, 4096
"""Bytes."""
LONGEST_URL = 2000
HINT = "head -c 32 /dev/urandom | base64 > FILE; chmod 600 FILE"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A receiver of events, in a form; a `local` one may be in this machine's network."""

    url: str
    secret_file: Path
    events: tuple[EventName, ...] = USUAL_EVENTS
    form: Form = "json"
    local: bool = False

    @property
    def digest(self) -> str:
        """The SHA-256 of its address, which identifies it in the store."""
        return sha256(self.url.encode()).hexdigest()

    @property
    def host(self) -> str:
        """The host; the rest of the address may be a secret."""
        return urlsplit(self.url).hostname or ""

    def as_written(self) -> dict[str, Any]:
        """Return the key as in a season's file, with an absolute path."""
        shape: dict[str, Any] = {"url": self.url, "secret_file": str(self.secret_file.absolute())}
        shape |= {"events": list(self.events), "form": self.form}
        return shape | ({"local": True} if self.local else {})


def check_url(text: str) -> None:
    """Raise ConfigError for an address that is not http(s), or has a user, a #, port 0 or more than ASCII.

    The message does not repeat it, since it may be a secret.
    """
    found, port = _split(text)
    hint = "write https://HOST/PATH"
    if found is None or not found.hostname or len(text) > LONGEST_URL:
        raise ConfigError("not an address", hint=hint)
    if found.scheme not in ("http", "https"):
        raise ConfigError(f"not an address of http or https: {found.scheme}:...", hint=hint)
    if not text.isascii() or not text.isprintable() or " " in text:
        what = "an address has printable ASCII alone"
        raise ConfigError(what, hint="write a name such as xn--..., and %20 for a blank")
    if "@" in found.netloc:
        raise ConfigError(
            "an address with a user or password in it", hint="the signature identifies the sender"
        )
    if found.fragment:
        raise ConfigError("an address with a # in it", hint="no receiver sees what follows")
    if port == 0:
        raise ConfigError("not an address: its port", hint="1 to 65535, or none")


def _split(text: str) -> tuple[SplitResult | None, int | None]:
    """Return the parts of an address, and its port, 0 if invalid; None for no address."""
    try:
        found = urlsplit(text)
    except ValueError:
        return None, None
    try:
        return found, found.port
    except ValueError:
        return found, 0


def read_secret(file: Path) -> bytes:
    """Read a webhook's secret: the file's bytes without the end of its last line.

    ConfigError where it cannot be read, is too short, or others may read it.
    """
    try:
        # Non-blocking, so as not to wait for the writer of a pipe.
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}", hint=HINT) from None
    with open(descriptor, "rb") as opened:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ConfigError(f"{file} is not a regular file", hint=HINT)
        if os.name == "posix" and found.st_mode & 0o077:
            raise ConfigError(f"others may read {file}", hint=f"chmod 600 {file}")
        secret = opened.read(MOST_SECRET + 1).rstrip(b"\r\n")
    if not LEAST_SECRET <= len(secret) <= MOST_SECRET:
        size = f"{len(secret)} bytes" if len(secret) <= MOST_SECRET else f"more than {MOST_SECRET} bytes"
        raise ConfigError(f"{file} has {size}: at least {LEAST_SECRET}, at most {MOST_SECRET}", hint=HINT)
    return secret
