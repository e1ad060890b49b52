"""Guard against requests to this machine or its network: only public internet addresses are allowed.

A name is resolved once, and the connection is made to a checked address, so that a name server cannot answer
differently for check and connection (DNS rebinding).
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
"""All other IPv6 addresses are local, mapped, translated (NAT64), multicast or unassigned."""
NOT_GLOBAL = tuple(
    map(
        IPv6Network,
        # Special purposes (such as Teredo), documentation, 6to4.
        ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)
RELAYS = IPv4Network("192.88.99.0/24")
"""6to4 relays, which lead to any IPv6 address."""


class Unreachable(Exception):
    """A receiver cannot be reached, or is not allowed; the text is the reason."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return True for a public unicast address."""
    if isinstance(address, IPv6Address):
        return address in GLOBAL and not any(address in network for network in NOT_GLOBAL)
    return (
        address.is_global and not address.is_multicast and not address.is_reserved and address not in RELAYS
    )


def resolve_allowed(host: str, port: int, local: bool, seconds: float) -> list[Place]:
    """Resolve a host; Unreachable if it has no address or, unless `local`, an address that is not public."""
    found = _resolve(host, port, seconds)
    if not local:
        for family, place in found:
            # After a % comes the interface.
            address = ip_address(str(place[0]).partition("%")[0])
            if not is_public(address) or _is_of_this_machine(family, place):
                raise Unreachable(
                    f"{address} is an address of this machine or its network (local: true allows it)"
                )
    return found


def _is_of_this_machine(family: socket.AddressFamily, place: tuple[Any, ...]) -> bool:
    """Return True if packets to an address would have it as their source, too; none is sent."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
        # This sends nothing.
        asking.connect(place)
        return bool(asking.getsockname()[0] == place[0])
    return False


def _resolve(host: str, port: int, seconds: float) -> list[Place]:
    """Look up a host's addresses in a thread; Unreachable if it has none, or no answer within `seconds`."""
    answer: list[Place] = []
    failure: list[str] = []

    def look_up() -> None:
        """Add the addresses to `answer`, or the reason to `failure`."""
        try:
            for family, _, _, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                if (family, place) not in answer:
                    answer.append((family, place))
        except (OSError, UnicodeError) as error:
            failure.append(getattr(error, "strerror", None) or "no such name")

    # In a thread: getaddrinfo has no timeout.
    asking = threading.Thread(target=look_up, daemon=True)
    asking.start()
    asking.join(seconds)
    if asking.is_alive():
        raise Unreachable(f"cannot resolve {host} within {seconds:.0f} s")
    if failure or not answer:
        raise Unreachable(f"cannot resolve {host}: {failure[0] if failure else 'it has no address'}")
    return answer
