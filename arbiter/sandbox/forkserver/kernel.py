"""System calls that the standard library does not have; OSError if the kernel refuses."""

from __future__ import annotations

import ctypes
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_SECUREBITS, NO_SETUID_FIXUP = 28, 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 47, 2
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x2_0000, 0x1000_0000, 0x2000_0000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_NOATIME, MS_BIND, MS_REC, MS_PRIVATE = (
    2, 4, 8, 1 << 10, 1 << 12, 1 << 14, 1 << 18,
)  # fmt: skip
MNT_DETACH = 2
AT_FDCWD, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x100, 0x1000, 0x8000
MOUNT_ATTR_RDONLY = 0x1
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
OPEN_TREE_CLONE, MOVE_MOUNT_F_EMPTY_PATH = 1, 4
SECCOMP = {"x86_64": 317, "aarch64": 277}
SECCOMP_SET_MODE_FILTER, NEW_LISTENER = 1, 8
CAPABILITY_VERSION_3, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 0x20080522, 1, 2
MADV_POPULATE_WRITE = 23
MOST_CAPABILITIES = 64
_libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: int | bytes) -> int:
    """Make a system call by its number; return its result."""
    wide = [ctypes.c_long(value) if isinstance(value, int) else value for value in (number, *arguments)]
    return _check(_libc.syscall(*wide), f"system call {number}")


def prctl(option: int, value: int, what: int = 0) -> None:
    """Set an attribute of this process."""
    _check(_libc.prctl(option, value, what, 0, 0), "prctl")


def read_memory(thread: int, address: int, size: int) -> bytes:
    """Read from another process's memory, at most `size` bytes."""
    found = ctypes.create_string_buffer(size)
    number = _move_bytes(_libc.process_vm_readv, thread, found, address, size)
    return found.raw[:number]


def write_memory(thread: int, address: int, content: bytes) -> None:
    """Write to another process's memory."""
    _move_bytes(_libc.process_vm_writev, thread, ctypes.create_string_buffer(content), address, len(content))


def unshare(flags: int) -> None:
    """Move this process to new namespaces."""
    _check(_libc.unshare(flags), "unshare")


def join(namespace: int, kind: int) -> None:
    """Move this process to the namespace of a descriptor."""
    _check(_libc.setns(namespace, kind), "setns")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Create or change a mount."""
    words = [os.fsencode(word) if word else None for word in (source, target, kind)]
    _check(_libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(options) or None), f"mount {target!r}")


def unmount(target: str) -> None:
    """Remove a mount; open files stay open."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target!r}")


def clone_mount(path: str) -> int:
    """Return a descriptor of a detached read-only copy of a mount and its submounts; closed at an exec."""
    flags = OPEN_TREE_CLONE | AT_RECURSIVE | os.O_CLOEXEC
    copy = call(OPEN_TREE, AT_FDCWD, os.fsencode(path), flags)
    try:
        attributes = struct.pack("=4Q", MOUNT_ATTR_RDONLY, 0, 0, 0)
        call(MOUNT_SETATTR, copy, b"", AT_EMPTY_PATH | AT_RECURSIVE, attributes, len(attributes))
    except OSError:
        os.close(copy)
        raise
    return copy


def attach_mount(copy: int, path: str) -> None:
    """Mount a copy from `clone_mount`, perhaps of another process, on a folder or file."""
    call(MOVE_MOUNT, copy, b"", AT_FDCWD, os.fsencode(path), MOVE_MOUNT_F_EMPTY_PATH)


def mount_link(link: str, target: str) -> None:
    """Mount a link itself, not the file that it leads to, on a file."""
    copy = call(OPEN_TREE, AT_FDCWD, os.fsencode(link), OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW | os.O_CLOEXEC)
    try:
        attach_mount(copy, target)
    finally:
        os.close(copy)


def set_read_only(path: str, beneath: bool) -> None:
    """Make a mount, and with `beneath` its submounts, read-only; access times are then not recorded."""
    _set_attributes(path, AT_RECURSIVE if beneath else 0, MOUNT_ATTR_RDONLY, 0)


def set_writable(path: str) -> None:
    """Make a mount writable."""
    _set_attributes(path, 0, 0, MOUNT_ATTR_RDONLY)


def _set_attributes(path: str, flags: int, added: int, removed: int) -> None:
    attributes = struct.pack("=4Q", added, removed, 0, 0)
    call(MOUNT_SETATTR, AT_FDCWD, os.fsencode(path), flags, attributes, len(attributes))


def drop_capabilities(kept: int = 0) -> None:
    """Drop all capabilities permanently, except those in the mask `kept`."""
    for number in range(MOST_CAPABILITIES):
        if not kept >> number & 1 and _libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0:
            break
    header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    # Effective, permitted and inheritable, the low words and then the high ones.
    now = ctypes.create_string_buffer(24)
    _libc.capget(header, now)
    left = struct.unpack("=6I", now)[1] & kept
    _check(_libc.capset(header, struct.pack("=6I", left, left, left, 0, 0, 0)), "capset")
    for number in range(32):
        if left >> number & 1:
            # For users other than root, who would lose it at the exec.
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number)


def filter_calls(code: bytes, flags: int) -> int:
    """Install a seccomp filter; with the flag NEW_LISTENER, return the listener's descriptor."""
    instructions = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: number of instructions, and their address.
    program = struct.pack("HP", len(code) // 8, ctypes.addressof(instructions))
    return call(SECCOMP[os.uname().machine], SECCOMP_SET_MODE_FILTER, flags, program)


def _move_bytes(
    move: Callable[..., int], thread: int, own: ctypes.Array[ctypes.c_char], address: int, size: int
) -> int:
    """Move bytes between our memory and another process's; return their number."""
    # struct iovec: address and number of bytes.
    here, there = ((ctypes.c_size_t * 2)(place, size) for place in (ctypes.addressof(own), address))
    return _check(move(thread, here, 1, there, 1, 0), "memory of a process")


def _check(result: int, what: str) -> int:
    """Return a result from 0 on; for others raise the OSError of errno, which names `what`."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def populate(start: int, size: int) -> None:
    """Populate writable pages of our memory."""
    _check(_libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), MADV_POPULATE_WRITE), "madvise")
