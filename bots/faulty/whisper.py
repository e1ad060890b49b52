#!/usr/bin/env python3
"""Attacks that carry word: from match to match, from bot to bot, from rivals to who watches them.

``whisper.py NAME [key=value ...]``, as `attack.py`. What cannot be told by an error's name is told by what
came through: ``pages_in_memory: not all bits``.
"""

# Calls by their plain names, and functions that share one signature.
# ruff: noqa: ARG001, B023, PTH108, PTH110, PTH115, PTH118, PTH120

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import socket
import sys
import threading
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100

from attack import TEMPORARY, Bot, at, attempt, call, libc, main, name_of, read, system_call, tell, x86

PREADV2, RWF_NOWAIT = x86(327, 286), 8
SET_TID_ADDRESS, FUTEX = x86(218, 96), x86(202, 98)
FUTEX_WAIT, FUTEX_WAKE = 0, 1
IO_SETUP, INOTIFY_INIT1, INOTIFY_ADD_WATCH = x86(206, 0), x86(294, 26), x86(254, 27)
SCHED_GETATTR, SCHED_RR_GET_INTERVAL, STATX = x86(315, 275), x86(148, 127), x86(332, 291)
MADV_PAGEOUT, MADV_MERGEABLE = 21, 12
POSIX_FADV_DONTNEED = 4
IN_ACCESS = 1
RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE, F_SETSIG = 11, 12, 10
PAGE = mmap.PAGESIZE
SCRATCH_PAGES = (16 << 20) // PAGE
NEAR = 1.8
"""Seconds since the last change of a file that tell nothing."""
COPIED = ("/usr", "/etc", "/dev", "/proc", "/etc/passwd", "/usr/bin/env", "/usr/lib/locale/C.utf8")
BITS = 32
SETTINGS = [
    "tcp_" + name
    for name in """
        abort_on_overflow adv_win_scale app_win autocorking base_mss dsack ecn ecn_fallback fack fastopen
        fin_timeout frto invalid_ratelimit keepalive_intvl keepalive_probes keepalive_time limit_output_bytes
        low_latency max_orphans max_reordering max_syn_backlog max_tw_buckets mem min_rtt_wlen min_tso_segs
        moderate_rcvbuf mtu_probing no_metrics_save notsent_lowat orphan_retries reordering retrans_collapse
    """.split()  # noqa: SIM905 -- they are many
]
SYSTEM_FILE = "/etc/passwd"
TICK, SAME = 0.02, 15
APART = 64
"""Pages from bit to bit, so that one is not read ahead with another."""


def secret() -> list[int]:
    """What is to be carried: the same in every match, and no run of equal bits."""
    return [0xB5297A4D >> place & 1 for place in range(BITS)]


def told(name: str, heard: list[int | None]) -> None:
    """How many bits came through: of as many as chance gives, that is none."""
    right = sum(bit == found for bit, found in zip(secret(), heard))  # noqa: B905
    tell(f"{name}: {'all' if right == BITS else 'not all'} bits")


# From match to match: once with `write=1`, then without.


@at("start")
def remember(bot: Bot) -> None:
    """Leaves word to itself in the next match, in what the kernel keeps of files and of processes."""
    tell(f"numbers of the process and of a file: {os.getpid()} {number_of_a_file()}")
    for way in times_of_reading, pages_in_memory, temporary_files, missing_names, looks_at_the_kernel:
        way(bot, "write" in bot.given)
    # The next match's processes would have later numbers.
    for _ in range(64):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()


def times_of_reading(bot: Bot, writes: bool) -> None:
    """A file that was read says when."""
    folder = os.path.join(os.path.dirname(bot.given["own"]), "letters")
    files = [os.path.join(folder, f"{place:02}") for place in range(BITS)]
    if writes:
        for file, bit in zip(files, secret()):  # noqa: B905
            if bit:
                read(file)
    else:
        times = [os.stat(file).st_atime_ns for file in files]
        told("times_of_reading", [int(time > min(times)) for time in times])


def temporary_files(bot: Bot, writes: bool) -> None:
    """A temporary file is there for the next match, and so is a count of files made and removed."""
    files = [os.path.join(TEMPORARY, f"{name_of(bot)}-{place}") for place in range(BITS)]
    found = [int(os.path.exists(file)) for file in files]
    for file, bit in zip(files, secret()):  # noqa: B905
        try:
            if writes and bit:
                with open(file, "w"):
                    pass
            elif not writes and os.path.exists(file):
                os.unlink(file)
        except OSError:
            pass
    if not writes:
        told("temporary_files", found)


def missing_names(bot: Bot, writes: bool) -> None:
    """A name that is not there is refused faster once somebody has looked it up."""
    names = [
        [f"/usr/lib/{name_of(bot)}-{place}-{number}".encode() for number in range(SAME)]
        for place in range(BITS)
    ]
    if writes:
        for same, bit in zip(names, secret()):  # noqa: B905
            for name in same if bit else ():
                libc.access(name, 0)
        return
    taken = []
    for same in names:
        times = []
        for name in same:
            start = time.perf_counter_ns()
            libc.access(name, 0)
            times.append(time.perf_counter_ns() - start)
        taken.append(sorted(times)[SAME // 2])
    slowest_fast, fastest_slow = sorted(taken)[sum(secret()) - 1 : sum(secret()) + 1]
    told("missing_names", [int(2 * one < slowest_fast + fastest_slow) for one in taken])


def looks_at_the_kernel(bot: Bot, writes: bool) -> None:
    """A setting of the kernel has the time of the first look at it."""
    files = [f"/proc/sys/net/ipv4/{name}" for name in SETTINGS]
    now = time.time()
    if writes:
        for file, bit in zip(files, secret()):  # noqa: B905
            if bit:
                os.path.exists(file)
    elif all(map(os.path.exists, files)):
        told("looks_at_the_kernel", [int(os.stat(file).st_mtime < now - TICK) for file in files])
    else:
        told("looks_at_the_kernel", [])


def number_of_a_file() -> int:
    """What the kernel calls a new temporary file; 0 without one."""
    try:
        file = os.open(TEMPORARY, os.O_TMPFILE | os.O_WRONLY)
    except OSError:
        return 0
    number = os.fstat(file).st_ino
    os.close(file)
    return number


def pages_in_memory(bot: Bot, writes: bool) -> None:
    """A page that was read is in memory, and one that was dropped is not."""
    file = os.open(os.path.join(os.path.dirname(bot.given["own"]), "pages"), os.O_RDONLY)
    places = [place * APART * PAGE for place in range(BITS)]
    if writes:
        os.posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        for place, bit in zip(places, secret()):  # noqa: B905
            if bit:
                os.posix_fadvise(file, place, PAGE, 1)
                os.pread(file, 1, place)
    else:
        told("pages_in_memory", [is_in_memory(file, place) for place in places])
    os.close(file)


def is_in_memory(file: int, place: int) -> int | None:
    buffer = ctypes.create_string_buffer(1)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 1)
    try:
        system_call(PREADV2, file, ctypes.byref(vector), 1, place, 0, RWF_NOWAIT)
    except BlockingIOError:
        return 0
    except OSError:
        return None
    return 1


# From bot to bot, while both live: `hear` in one seat, `speak` in another.


def of_a_system_file() -> int:
    """The address of a page that every bot can map."""
    file = os.open(SYSTEM_FILE, os.O_RDONLY)
    libc.mmap.restype = ctypes.c_void_p
    place = libc.mmap(None, ctypes.c_size_t(PAGE), mmap.PROT_READ, mmap.MAP_SHARED, file, ctypes.c_long(0))
    os.close(file)
    return place


@at("start")
def hear(bot: Bot) -> None:
    """Waits on a word of a system file until somebody wakes it, and for news of a folder of the system."""
    place = of_a_system_file()
    word = ctypes.c_uint32.from_address(place).value

    def wait() -> None:
        timeout = (ctypes.c_long * 2)(60, 0)
        if libc.syscall(FUTEX, ctypes.c_void_p(place), FUTEX_WAIT, word, ctypes.byref(timeout), 0, 0) == 0:
            tell("woken by a futex of a system file: allowed")

    threading.Thread(target=wait, daemon=True).start()

    def listen() -> None:
        news = system_call(INOTIFY_INIT1, os.O_NONBLOCK)
        system_call(INOTIFY_ADD_WATCH, news, ctypes.c_char_p(b"/usr/lib"), IN_ACCESS)

    attempt("hear of reading in a folder", listen)


@at("move")
def speak(bot: Bot, reply: bytes) -> bytes:
    """Says something in each way: wakes who waits, by a call and by the end of a thread."""
    place = of_a_system_file()
    libc.syscall(FUTEX, ctypes.c_void_p(place), FUTEX_WAKE, 1, 0, 0, 0)

    def end() -> None:
        # The kernel clears this word and wakes who waits for it when the thread ends.
        libc.syscall(SET_TID_ADDRESS, ctypes.c_void_p(place))

    for _ in range(3):
        threading.Thread(target=end, daemon=True).start()
    time.sleep(0.05)
    return reply


# By what the kernel counts for all processes of a user: `queue` in one seat, `count` in another.


def queue_signal() -> None:
    """A signal of those that are queued, to this thread, which keeps it waiting."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMAX})
    signal.pthread_kill(threading.get_ident(), signal.SIGRTMAX)


@at("start")
def queue(bot: Bot) -> None:
    """Has a hundred signals wait."""
    for _ in range(100):
        queue_signal()


@at("move")
def count(bot: Bot, reply: bytes) -> bytes:
    """Queues as many signals as it gets; fewer than its limit tell how many others have."""
    if "queued" not in bot.given:
        queued = 0
        try:
            while True:
                queue_signal()
                queued += 1
        except OSError:
            pass
        bot.given["queued"] = str(queued)
        alone = queued == resource.getrlimit(RLIMIT_SIGPENDING)[0]
        tell(f"signals that wait: {'as many as alone' if alone else 'fewer'}")
    return reply


@at("start")
def bisect(bot: Bot) -> None:
    """Lowers its own limits on what is counted by user, and makes what is counted."""
    limits = (ctypes.c_ulong * 2)()

    def lower(which: int) -> None:
        call(libc.getrlimit, which, limits)
        limits[0] = min(limits[0], 1 << 20) - 1
        call(libc.setrlimit, which, limits)

    for what, which in {
        "threads": resource.RLIMIT_NPROC,
        "queued signals": RLIMIT_SIGPENDING,
        "locked memory": resource.RLIMIT_MEMLOCK,
        "messages": RLIMIT_MSGQUEUE,
        "descriptors": resource.RLIMIT_NOFILE,
        "stack": resource.RLIMIT_STACK,
    }.items():
        attempt(f"a lower limit on {what}", lambda: lower(which))
    attempt("a descriptor under way", send_descriptor)
    going_on = (ctypes.c_int * 16)(0, 0, signal.SIGCONT)
    attempt(
        "a timer that continues it",
        lambda: system_call(x86(222, 107), 0, going_on, ctypes.byref(ctypes.c_int())),
    )
    attempt("a signal by a descriptor", lambda: fcntl.fcntl(0, F_SETSIG, signal.SIGRTMAX))
    attempt("no core, for which a program is started", no_core)


def send_descriptor() -> None:
    ends = socket.socketpair()
    socket.send_fds(ends[0], [b"x"], [0])


def no_core() -> None:
    call(libc.setrlimit, resource.RLIMIT_CORE, (ctypes.c_ulong * 2)(0, 1))


# Of rivals, to who watches.


@at("start")
def watch(bot: Bot) -> None:
    """Looks at what tells how long rivals think, and how many they are."""
    rival = int(bot.given["rival"])
    buffer = ctypes.create_string_buffer(256)
    of_rival = ctypes.c_long(~rival << 3 | 2).value
    for what, act in {
        "a rival's CPU time": lambda: time.clock_gettime(of_rival),
        "its own CPU time": lambda: time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID),
        "sleep by a rival's CPU time": lambda: call_clock_nanosleep(of_rival),
        "a timer of a rival's CPU time": lambda: timer_of(of_rival),
        "a rival's threads": lambda: os.stat(f"/proc/{rival}/task"),
        "a rival's descriptors": lambda: os.stat(f"/proc/{rival}/fd"),
        "a rival's cores": lambda: os.sched_getaffinity(rival),
        "a rival's policy": lambda: os.sched_getscheduler(rival),
        "a rival's priority": lambda: os.getpriority(os.PRIO_PROCESS, rival),
        "a rival's session": lambda: os.getsid(rival),
        "its own cores": lambda: os.sched_getaffinity(0),
        "the load": lambda: read("/proc/loadavg"),
        "the machine's CPU time": lambda: read("/proc/stat"),
        "free memory": lambda: read("/proc/meminfo"),
        "idle time": lambda: read("/proc/uptime"),
        "open files of all": lambda: read("/proc/sys/fs/file-nr"),
        "the last process number": lambda: read("/proc/sys/kernel/ns_last_pid"),
        "the network": lambda: read("/proc/self/net/dev"),
        "whom a page is shared with": lambda: read("/proc/self/smaps"),
        "which pages there are": lambda: read("/proc/self/pagemap"),
        "mounts": lambda: read("/proc/self/mountinfo"),
        "its own state": lambda: read("/proc/self/stat"),
        "signals that are queued for all": lambda: read("/proc/self/status"),
        "numbers of what it has open": lambda: read("/proc/self/fdinfo/0"),
        "numbers of files of the kernel": lambda: os.lstat("/proc/self/fd/0"),
        "the number of a mount": lambda: system_call(STATX, -100, ctypes.c_char_p(b"/"), 0, 0x1000, buffer),
        "the number of a namespace": lambda: os.readlink("/proc/self/ns/mnt"),
        "its control group": lambda: read("/proc/self/cgroup"),
        "how many processes there are": lambda: os.stat("/proc").st_nlink > 60 or absent(),
        "when somebody first looked at a device": lambda: os.stat("/sys/class/net"),
        "how full a disk is": lambda: os.statvfs("/usr").f_blocks > SCRATCH_PAGES or absent(),
        "the number of a socket": number_of_a_socket,
        "page out": lambda: advise(MADV_PAGEOUT),
        "merge equal pages": lambda: advise(MADV_MERGEABLE),
        "a larger pipe": lambda: fcntl.fcntl(1, 1031, 1 << 20),
        "input and output beside": lambda: system_call(IO_SETUP, 8, ctypes.byref(ctypes.c_ulong())),
        "what is in memory of a file": in_core,
    }.items():
        attempt(what, act)
    tell(f"memory of the machine: {round(os.sysconf('SC_PHYS_PAGES') * PAGE / 1e6)} MB")


# Of where it plays: whether it is only being tried, and what its rivals need.


@at("start")
def survey(bot: Bot) -> None:
    """Looks at each file of the system that it can see, at how nice it is, and at how old its files are."""
    own = bot.given["own"], os.path.dirname(bot.given["own"])
    for whose, paths in {"the system's": COPIED, "its own": own}.items():
        age = max(time.time() - os.lstat(path).st_ctime for path in paths)
        tell(f"when {whose} files were changed: {'just now' if age < NEAR else 'long ago'}")
    seen: dict[str, list[object]] = {
        "names": [],
        "kinds and sizes": [],
        "times": [],
        "numbers": [],
        "links": [],
        "devices": [],
    }
    devices = {os.stat("/").st_dev: 0}
    for top in "/bin", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr":
        for folder, folders, files in os.walk(top):
            if folder == "/proc":
                folders.remove("self")
            for path in (folder, *(f"{folder}/{name}" for name in (*folders, *files))):
                status = os.lstat(path)
                device = devices.setdefault(status.st_dev, len(devices))
                seen["names"].append(path)
                seen["kinds and sizes"].append((status.st_mode, status.st_size, status.st_blocks))
                if device:
                    # What its own root has was made when it was started.
                    seen["times"].append((status.st_mtime_ns, status.st_atime_ns))
                seen["numbers"].append(status.st_ino)
                seen["links"].append(status.st_nlink)
                seen["devices"].append(device)
    for what, found in seen.items():
        tell(f"{what} of the system's files: {len(found)} {zlib.crc32(repr(found).encode())}")
    for what, act in {
        "how nice it is": lambda: os.getpriority(os.PRIO_PROCESS, 0),
        "how nice a thread is": lambda: os.getpriority(os.PRIO_PROCESS, os.getpid()),
        "how nice its state says it is": own_state,
        "its attributes": lambda: attributes(SCHED_GETATTR, 48, 0),
        "its share of the core": lambda: attributes(SCHED_RR_GET_INTERVAL),
    }.items():
        try:
            tell(f"{what}: {act()}")
        except OSError as error:
            tell(f"{what}: {errno.errorcode[error.errno or 0]}")
    time.sleep(float(bot.given.get("wait", 0)))


def own_state() -> str:
    """Its priority and how nice it is."""
    with open("/proc/self/stat") as file:
        return " ".join(file.read().rpartition(")")[2].split()[15:17])


def attributes(number: int, *arguments: int) -> str:
    """What a call tells of how this process is scheduled."""
    buffer = ctypes.create_string_buffer(48)
    system_call(number, 0, ctypes.byref(buffer), *arguments)
    return buffer.raw.hex()


def absent() -> None:
    raise OSError(errno.ENOENT, "none but its own")


def call_clock_nanosleep(clock: int) -> None:
    error = libc.clock_nanosleep(clock, 0, (ctypes.c_long * 2)(0, 0), None)
    if error:
        raise OSError(error, "clock_nanosleep")


def timer_of(clock: int) -> None:
    # SIGEV_NONE.
    event = (ctypes.c_int * 16)(0, 0, 0, 1)
    system_call(x86(222, 107), clock, ctypes.byref(event), ctypes.byref(ctypes.c_int()))


def advise(advice: int) -> None:
    place = mmap.mmap(-1, PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(place))
    call(libc.madvise, ctypes.c_void_p(address), ctypes.c_size_t(PAGE), advice)


def number_of_a_socket() -> None:
    ends = socket.socketpair()
    # SO_COOKIE.
    ends[0].getsockopt(socket.SOL_SOCKET, 57, 8)


def in_core() -> None:
    call(
        libc.mincore,
        ctypes.c_void_p(of_a_system_file()),
        ctypes.c_size_t(PAGE),
        ctypes.create_string_buffer(1),
    )


@at("start")
def crowd(bot: Bot) -> None:
    """As many threads as it gets; with them nobody else of the user would get one."""
    threading.stack_size(64 * 1024)
    started = 0
    try:
        while started < 2000:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    tell(f"threads that it gets: {'all' if started == 2000 else 'some' if started >= 100 else 'few'}")


# What remains open, to be measured: numbers of new threads count on for all bots of a table.


def begin_thread() -> int:
    """The number of a thread that has ended."""
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return thread.native_id or 0


@at("move")
def say_by_threads(bot: Bot, reply: bytes) -> bytes:
    """Says two bits a turn by so many threads."""
    turn = int(bot.given.get("turn", 0))
    bot.given["turn"] = str(turn + 1)
    high, low = (secret()[(2 * turn + place) % BITS] for place in (0, 1))
    start = time.perf_counter_ns()
    for _ in range(2 * high + low):
        begin_thread()
    tell(f"{2 * high + low} in {(time.perf_counter_ns() - start) // 1000} us")
    return reply


@at("move")
def hear_by_threads(bot: Bot, reply: bytes) -> bytes:
    """Hears them by the number of a thread of its own."""
    start = time.perf_counter_ns()
    number = begin_thread()
    tell(f"{number} in {(time.perf_counter_ns() - start) // 1000} us")
    return reply


if __name__ == "__main__":
    main()
