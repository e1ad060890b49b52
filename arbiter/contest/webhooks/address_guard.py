"""The addresses that a request may go to: those of the internet, none of this machine or its network.

A name is resolved once, and the connection is made to an address that was looked at here: nobody can let a
name mean one address for the check and another one for the connection.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Place: TypeAlias = tuple[socket.AddressFamily, tuple[Any, ...]]
    """A family of addresses, and an address of it as `socket` takes it."""

GLOBAL = IPv6Network("2000::/3")
"""All other addresses of version 6 are local, mapped, translated (NAT64), of groups, or nobody's."""
NOT_GLOBAL = tuple(
    map(
        IPv6Network,
        # Special purposes (Teredo among them), examples, addresses of version 4 in those of 6.
        ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)
RELAYS = IPv4Network("192.88.99.0/24")
"""Of 6to4, to version 6 and wherever that leads."""


class Unreachable(Exception):
    """A receiver that cannot be asked, or may not be; the text says why."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """True for an address of one machine somewhere on the internet."""
    if isinstance(address, IPv6Address):
        return address in GLOBAL and not any(address in network for network in NOT_GLOBAL)
    return (
        address.is_global and not address.is_multicast and not address.is_reserved and address not in RELAYS
    )


def places_of(host: str, port: int, local: bool, seconds: float) -> list[Place]:
    """The addresses of a host, each of which may be asked; Unreachable where there is none, or one may not.

    A `local` host may be anywhere.
    """
    found = _resolved(host, port, seconds)
    if not local:
        for family, place in found:
            # What stands behind a % is the interface.
            address = ip_address(str(place[0]).partition("%")[0])
            if not is_public(address) or _is_own(family, place):
                raise Unreachable(
                    f"{address} is an address of this machine or its network (local: true allows it)"
                )
    return found


def _is_own(family: socket.AddressFamily, place: tuple[Any, ...]) -> bool:
    """True for an address of this machine: what it would send there came from that very address."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
        # Nothing is sent by this.
        asking.connect(place)
        return bool(asking.getsockname()[0] == place[0])
    return False


def _resolved(host: str, port: int, seconds: float) -> list[Place]:
    """The addresses of a name, in the order in which they are to be tried."""
    answer: list[Place] = []
    failure: list[str] = []

    def ask() -> None:
        try:
            for family, _, _, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                if (family, place) not in answer:
                    answer.append((family, place))
        except (OSError, UnicodeError) as error:
            failure.append(getattr(error, "strerror", None) or "no such name")

    # A name server may keep one waiting for as long as it likes.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    if asking.is_alive():
        raise Unreachable(f"no name server knew {host} within {seconds:.0f} s")
    if failure or not answer:
        raise Unreachable(f"{host}: {failure[0] if failure else 'has no address'}")
    return answer
