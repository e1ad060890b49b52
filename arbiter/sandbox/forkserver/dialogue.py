"""The dialogue of a slim process with a worker: messages both ways, and requests that are answered.

A message is JSON. One that is longer than sockets surely take is passed in memory, as the first of its
descriptors.
"""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Answer: TypeAlias = tuple[Any, list[int]]
"""A value for who asked, and descriptors that are sent to it and closed here."""
LONGEST = 64 * 1024
"""Bytes of a message that is sent as it is."""
IN_MEMORY = b"-"
MOST_SENT = 64
"""Descriptors that come with a request."""


def send(connection: socket.socket, value: object, descriptors: Sequence[int] = ()) -> None:
    """Send a value, and descriptors with it. OSError if nobody is there."""
    message = json.dumps(value).encode()
    if len(message) <= LONGEST:
        socket.send_fds(connection, [message], descriptors)
        return
    with open(os.memfd_create("message"), "wb") as file:
        file.write(message)
        file.flush()
        socket.send_fds(connection, [IN_MEMORY], [file.fileno(), *descriptors])


def receive(connection: socket.socket, most: int) -> tuple[Any, list[int]] | None:
    """A value and at most so many descriptors; None when the other side is gone. OSError if it breaks off."""
    message, descriptors, _, _ = socket.recv_fds(connection, LONGEST, most + 1)
    if not message:
        return None
    if message == IN_MEMORY:
        with open(descriptors.pop(0), "rb") as file:
            file.seek(0)
            message = file.read()
    return json.loads(message), descriptors


def answer(asker: socket.socket, served: object) -> bool:
    """Answer a request, which calls a public method; False if who asks is gone, ConnectionError if it goes
    before the answer.

    Descriptors that come with a request are its argument `descriptors`.
    """
    received = receive(asker, MOST_SENT)
    if received is None:
        return False
    request, sent = received
    if sent:
        request["with"]["descriptors"] = sent
    said, descriptors = getattr(served, request["do"])(**request["with"])
    try:
        send(asker, said, descriptors)
    finally:
        for number in descriptors:
            os.close(number)
    return True
