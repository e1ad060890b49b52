"""One side of the dialogue with a worker: its requests are the public methods of an object here."""

from __future__ import annotations

import json
import os
import socket
from typing import Any, TypeAlias

from arbiter.table.forkserver import MESSAGE_LIMIT

Answer: TypeAlias = tuple[Any, list[int]]
"""A value for who asked, and descriptors that are sent to it and closed here."""


def answer(asker: socket.socket, served: object) -> bool:
    """Answer a request; False if who asks is gone, ConnectionError if it goes before the answer.

    A descriptor that comes with a request is its argument `descriptor`.
    """
    message, received, _, _ = socket.recv_fds(asker, MESSAGE_LIMIT, 1)
    if not message:
        return False
    request = json.loads(message)
    if received:
        request["with"]["descriptor"] = received[0]
    said, descriptors = getattr(served, request["do"])(**request["with"])
    try:
        socket.send_fds(asker, [json.dumps(said).encode()], descriptors)
    finally:
        for number in descriptors:
            os.close(number)
    return True
