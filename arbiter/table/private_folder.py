"""This user's folder on a machine, in the folder for temporary files, and the claims on cores in it.

All processes of the user share it: shipped folders, locks on cores, and the queues of models' endpoints.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import VoidMatch

if TYPE_CHECKING:
    from collections.abc import Iterable


def private_folder() -> Path:
    """Create this user's folder for temporary files, or find it; VoidMatch if others can enter it."""
    folder = Path(tempfile.gettempdir()) / f"arbiter-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise VoidMatch(f"{folder} must be a folder of this user with mode 0700: remove it")
    return folder


def claim_core(folder: Path, cores: Iterable[int]) -> int | None:
    """Claim the first core that no other process of this user has claimed; None if all are.

    The claim is a lock on a file in `folder`, which the kernel releases when this process ends.
    """
    for core in sorted(cores):
        descriptor = os.open(folder / f"core-{core}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
        else:
            return core
    return None
