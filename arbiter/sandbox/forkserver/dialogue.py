"""Requests and answers between a worker and its forkserver.

A message is JSON. A message too long for a socket is passed in memory, as its first descriptor.
"""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Answer: TypeAlias = tuple[Any, list[int]]
"""A value, and descriptors that are sent with it and closed here."""
LONGEST = 64 * 1024
"""Bytes of a message that is sent directly."""
IN_MEMORY = b"-"
MOST_SENT = 64
"""Descriptors of a request."""


def send(connection: socket.socket, value: object, descriptors: Sequence[int] = ()) -> None:
    """Send a value with descriptors. OSError if the other side is gone."""
    message = json.dumps(value).encode()
    if len(message) <= LONGEST:
        socket.send_fds(connection, [message], descriptors)
        return
    with open(os.memfd_create("message"), "wb") as file:
        file.write(message)
        file.flush()
        socket.send_fds(connection, [IN_MEMORY], [file.fileno(), *descriptors])


def receive(connection: socket.socket, most: int) -> tuple[Any, list[int]] | None:
    """Receive a value and descriptors; None if the other side is gone. OSError if it ends in the middle."""
    message, descriptors, _, _ = socket.recv_fds(connection, LONGEST, most + 1)
    if not message:
        return None
    if message == IN_MEMORY:
        with open(descriptors.pop(0), "rb") as file:
            file.seek(0)
            message = file.read()
    return json.loads(message), descriptors


def answer(asker: socket.socket, served: object) -> bool:
    """Answer a request by calling the public method of `served` that it names; False if the asker is gone,
    ConnectionError if it disappears before the answer.

    The descriptors of a request become its argument `descriptors`.
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
