"""The places where matches are played: each executor is a `concurrent.futures.Executor`.

`inline` plays in this process (tests, debuggers), `processes` in one worker process per core of
this machine, `cluster` on the workers of a Dask cluster. Submit `play_match` or `play_packed` with a spec; if
a worker dies, only its match in flight is void. `forked` runs functions of this process in such workers.
"""

from __future__ import annotations

from arbiter.table.executors.dispatch import SizedExecutor, Slots
from arbiter.table.executors.local import inline, processes, slots
from arbiter.table.executors.remote import cluster

__all__ = ["SizedExecutor", "Slots", "cluster", "inline", "processes", "slots"]
