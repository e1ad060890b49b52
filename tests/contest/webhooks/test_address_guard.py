"""The addresses that requests may go to."""

from __future__ import annotations

import socket
import threading
from ipaddress import ip_address
from typing import Any

import pytest

from arbiter.contest.webhooks import address_guard
from arbiter.contest.webhooks.address_guard import Unreachable, is_public, resolve_allowed

REFUSED = {
    "this machine": ["127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::", "::1", "::127.0.0.1"],
    "private": [
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "100.64.0.1",
        "fc00::1",
        "fd12:3456::1",
    ],
    "local to a link or a site": ["169.254.169.254", "fe80::1", "fec0::1"],
    "examples and tests": [
        "192.0.2.1",
        "198.51.100.1",
        "203.0.113.1",
        "198.18.0.1",
        "2001:db8::1",
        "3fff::1",
    ],
    "reserved": ["192.0.0.1", "240.0.0.1", "255.255.255.255", "100::1", "2001::1", "5f00::1"],
    "relayed": ["192.88.99.1", "2002:7f00:1::1"],
    "mapped": ["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8"],
    "translated": ["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1"],
    "groups": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
}
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "172.32.0.1",
    "192.167.0.1",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "2620:fe::fe",
]


def test_no_address_of_this_machine_or_its_network_is_public() -> None:
    assert [text for of in REFUSED.values() for text in of if is_public(ip_address(text))] == []
    assert [text for text in PUBLIC if is_public(ip_address(text))] == PUBLIC


def resolves(monkeypatch: pytest.MonkeyPatch, *found: str) -> list[str]:
    """Let every name have these addresses; the names that were looked up."""
    asked: list[str] = []

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        families = {4: socket.AF_INET, 6: socket.AF_INET6}
        return [
            (families[ip_address(one.partition("%")[0]).version], socket.SOCK_STREAM, 6, "", (one, port))
            for one in found
        ]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


@pytest.mark.parametrize(
    "found", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["fe80::1%eth0"], ["::ffff:10.0.0.1"]]
)
def test_a_name_with_one_such_address_is_refused(monkeypatch: pytest.MonkeyPatch, found: list[str]) -> None:
    resolves(monkeypatch, *found)
    with pytest.raises(Unreachable, match="is an address of this machine or its network"):
        resolve_allowed("news.example", 443, False, 1.0)
    assert [place[0] for _, place in resolve_allowed("news.example", 443, True, 1.0)] == found


def test_a_public_address_of_this_machine_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    resolves(monkeypatch, "127.0.0.1")
    monkeypatch.setattr(address_guard, "is_public", lambda _: True)
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1 is an address of this machine"):
        resolve_allowed("news.example", 443, False, 1.0)


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "localhost"])
def test_other_spellings_of_this_machine_are_refused(host: str) -> None:
    with pytest.raises(Unreachable, match="is an address of this machine"):
        resolve_allowed(host, 80, False, 10.0)


def test_a_name_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [over.wait(60)][1:])
    with pytest.raises(Unreachable, match=r"cannot resolve news\.example within 0 s"):
        resolve_allowed("news.example", 443, False, 0.01)
    over.set()


def test_a_name_without_an_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(Unreachable, match=r"news\.example: Name or service not known"):
        resolve_allowed("news.example", 443, False, 1.0)
