"""Where matches are played: each executor is a `concurrent.futures.Executor`.

`inline` plays in this process (tests, debuggers), `processes` in one worker process a core of
this machine, `cluster` on the workers of a Dask cluster. The call that crosses over to them is
`play_match(spec)`; a worker that dies makes its match in flight void, and no other.
"""

from __future__ import annotations

from arbiter.executors.dispatch import Slots
from arbiter.executors.local import (
    InlineExecutor,
    ctrl_c_blocked,
    inline,
    kill_workers,
    processes,
    slots,
)
from arbiter.executors.remote import cluster

__all__ = [
    "InlineExecutor",
    "Slots",
    "cluster",
    "ctrl_c_blocked",
    "inline",
    "kill_workers",
    "processes",
    "slots",
]
