"""Connect to a Dask cluster and disconnect."""

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.table.executors.dispatch import PATIENCE, Slots
from arbiter.table.executors.shipping import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from arbiter.match.spec import Player

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+):[0-9]{1,5}")


@contextmanager
def cluster(
    scheduler: str,
    players: Sequence[Player],
    ship: Sequence[Path] = (),
    tier: str = "plain",
    on_note: Callable[[str], None] = lambda _: None,
    patience: float = PATIENCE,
) -> Iterator[Slots]:
    """Yield an executor on the workers of the Dask scheduler at an address (``tcp://host:8786``).

    It uses every worker with one thread and a free core that can play these players at this tier of
    isolation; `ship` are folders to send there. `on_note` is called from another thread with a line about
    each worker that is unusable, added or lost. After `patience` seconds without any worker, or without an
    answer of the scheduler, the waiting matches are void.

    ConfigError if the address is wrong, nothing answers there, `distributed` is not installed or another
    version than the scheduler's, a folder cannot be sent or no worker can be used; VoidMatch if no worker
    comes.
    """
    if not _ADDRESS.fullmatch(scheduler):
        message = f"{scheduler} is not an address of a Dask scheduler"
        raise ConfigError(message, hint="such as tcp://host:8786")
    if find_spec("distributed") is None:
        raise ConfigError("a cluster needs the package distributed", hint="pip install 'arbiter-cards[dask]'")
    parcels = [pack(folder) for folder in ship]
    # Slow to import.
    from arbiter.table.executors.dask_cluster import DaskCluster

    slots = Slots((), scheduler, on_note, patience)
    workers = DaskCluster(scheduler, players, parcels, tier, slots, on_note, patience)
    try:
        workers.open()
        yield slots
    except BaseException:
        slots.shutdown(cancel_futures=True)
        raise
    else:
        slots.shutdown()
    finally:
        workers.close()
