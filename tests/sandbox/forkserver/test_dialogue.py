"""Messages between a worker and its slim processes."""

from __future__ import annotations

import os
import socket

import pytest

from arbiter.sandbox.forkserver.dialogue import LONGEST, Answer, answer, receive, send

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="Linux alone")


class Echo:
    """Says what it is told, and sends back what it is sent."""

    def say(self, text: str, descriptors: list[int]) -> Answer:
        return text, descriptors


@pytest.mark.parametrize("length", [1, LONGEST, 3_000_000])
def test_a_message_of_any_length_arrives_with_its_descriptors(length: int) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    reading, writing = os.pipe()
    with ours, theirs:
        send(ours, {"do": "say", "with": {"text": "x" * length}}, [writing])
        os.close(writing)
        assert answer(theirs, Echo())
        received = receive(ours, 1)
        assert received is not None
        said, (number,) = received
        assert said == "x" * length
        os.write(number, b"y")
        os.close(number)
        assert os.read(reading, 2) == b"y"
        assert os.read(reading, 1) == b""
        os.close(reading)


def test_who_is_gone_says_nothing() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        theirs.close()
        assert receive(ours, 1) is None
