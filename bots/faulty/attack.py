#!/usr/bin/env python3
"""A Planning bot that plays legally but for one attack: ``attack.py NAME [key=value ...]``.

README.md lists the names, what each does, and how a match with it must end. Attacks whose effect is
not an end of the match write ``attempt: allowed`` or ``attempt: EACCES`` to standard error. Every
attack is bounded, so that it does no lasting harm even where nothing stops it: processes sleep and are
few, files stand in the folder named ``scratch``, sockets are on the loopback.
"""

# Calls by their plain names, and functions that share one signature.
# ruff: noqa: ARG001, B023
# ruff: noqa: PTH101, PTH102, PTH104, PTH108, PTH109, PTH110, PTH111, PTH120, PTH211, PTH106

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
import sys
import threading
import time

FOREVER = 600
MB = 1_000_000
ATTACKS: dict = {}
"""Name of the attack: when it happens, and what is done."""
libc = ctypes.CDLL(None, use_errno=True)


class Bot:
    """Plays the first card that it may; `given` are the arguments of the attack."""

    def __init__(self, given: dict) -> None:
        self.given = given
        self.hand: list[str] = []
        self.trick: list[str] = []

    def answer(self, words: list[str]) -> bytes:
        """A good reply to a command, without the empty line."""
        if words[0] == "set_cards":
            self.hand, self.trick = words[2:], []
        elif words[0] == "play":
            self.trick = [*self.trick, words[2]] if len(self.trick) < 4 else [words[2]]
            if words[2] in self.hand:
                self.hand.remove(words[2])
        elif words[0] == "gen_declare":
            return b"= 0"
        elif words[0] == "gen_move":
            led = self.trick[0][1] if 0 < len(self.trick) < 4 else None
            following = [card for card in self.hand if card[1] == led]
            return b"= " + (following or self.hand)[0].encode()
        return b"="


def at(moment: str):
    """Registers an attack under its name. `moment`: ``start``, before the first command is read;
    ``move``, when a card is to be played; ``each``, at every command. The attack is given the bot and,
    but for ``start``, the good reply, and returns what to write instead.
    """

    def register(attack):
        ATTACKS[attack.__name__] = moment, attack
        return attack

    return register


def say(data: bytes) -> None:
    """All of it, at once."""
    while data:
        data = data[os.write(1, data) :]


def tell(line: str) -> None:
    """A line for the test, on standard error."""
    os.write(2, f"{line}\n".encode())


def attempt(name: str, act) -> None:
    """Tell whether something was allowed, or the name of the error."""
    try:
        act()
    except OSError as error:
        tell(f"{name}: {errno.errorcode.get(error.errno or 0, error)}")
    else:
        tell(f"{name}: allowed")


def call(function, *arguments):
    """A function of the C library; OSError if it returns less than 0."""
    result = function(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "call")
    return result


def system_call(number: int, *arguments):
    """A system call by its number, each argument as wide as a register."""
    wide = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return call(libc.syscall, ctypes.c_long(number), *wide)


def main() -> None:
    name = sys.argv[1]
    moment, attack = ATTACKS[name]
    bot = Bot(dict(word.partition("=")[::2] for word in sys.argv[2:]))
    if moment == "start":
        attack(bot)
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        reply = bot.answer(words) + b"\n\n"
        if moment == "each" or (moment == "move" and words[0] == "gen_move"):
            reply = attack(bot, reply)
        say(reply)


# Processes.


@at("start")
def fork_bomb(bot: Bot) -> None:
    """Fifty children."""
    for _ in range(50):
        if os.fork() == 0:
            time.sleep(FOREVER)


@at("start")
def daemon(bot: Bot) -> None:
    """A grandchild in a session of its own that ignores what it can."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ignore_signals()
            time.sleep(FOREVER)
        os._exit(0)


@at("move")
def orphaned_output(bot: Bot, reply: bytes) -> bytes:
    """Ends while a child holds standard output open."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(FOREVER)
    os._exit(0)


@at("start")
def spinning_children(bot: Bot) -> None:
    """Four children that compute until they are killed, while others think."""
    for _ in range(4):
        if os.fork() == 0:
            while True:
                pass


@at("start")
def six_children(bot: Bot) -> None:
    """Six children with memory of their own, each within the limit: ``mb=90``."""
    filled, full = os.pipe()
    for _ in range(6):
        if os.fork() == 0:
            kept = bytearray(b"x") * (int(bot.given.get("mb", 90)) * MB)
            os.write(full, b".")
            time.sleep(FOREVER + len(kept) * 0)
    # The kernel may kill some, which write nothing.
    for _ in range(6):
        if select.select([filled], (), (), 2)[0]:
            os.read(filled, 1)


@at("start")
def child_without_main_thread(bot: Bot) -> None:
    """A child that fills memory in a thread when its main thread has ended: ``mb=300``."""
    filled, full = os.pipe()

    def fill() -> None:
        time.sleep(0.05)
        kept = bytearray(b"x") * (int(bot.given.get("mb", 300)) * MB)
        os.write(full, b".")
        time.sleep(FOREVER + len(kept) * 0)

    if os.fork() == 0:
        threading.Thread(target=fill).start()
        libc.syscall(ctypes.c_long(EXIT), ctypes.c_long(0))
    os.read(filled, 1)


@at("start")
def orphans(bot: Bot) -> None:
    """Three grandchildren that lose their parents, ignore signals, and compute until they are killed."""
    for _ in range(3):
        if os.fork() == 0:
            if os.fork() == 0:
                ignore_signals()
                while True:
                    pass
            os._exit(0)


@at("start")
def rousing_children(bot: Bot) -> None:
    """Two children that compute, and continue the bot and each other whenever it is stopped."""
    for _ in range(2):
        if os.fork() == 0:
            while True:
                os.killpg(0, signal.SIGCONT)


@at("start")
def many_children(bot: Bot) -> None:
    """More children than a bot may have, each of which ends at once."""
    for _ in range(100):
        if os.fork() == 0:
            os._exit(0)


@at("start")
def threads(bot: Bot) -> None:
    """Two hundred threads that sleep."""
    threading.stack_size(64 * 1024)
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(FOREVER,), daemon=True).start()
    tell("threads: allowed")


@at("start")
def spinning_threads(bot: Bot) -> None:
    """Eight threads that compute all the time, without the interpreter's lock."""
    data = bytes(64 * MB)

    def spin() -> None:
        import hashlib

        while True:
            hashlib.sha256(data)

    for _ in range(8):
        threading.Thread(target=spin, daemon=True).start()


# Memory.


@at("move")
def memory_hog(bot: Bot, reply: bytes) -> bytes:
    """Takes memory until there is no more."""
    kept = []
    while True:
        # Every second page is touched, or the time would end before the memory on a slow machine.
        taken = mmap.mmap(-1, 20 * MB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for place in range(0, len(taken), 8192):
            taken[place] = 1
        kept.append(taken)


MAP_GROWSDOWN = 0x100
BOTH = mmap.PROT_READ | mmap.PROT_WRITE


def take(bot: Bot, flags: int) -> None:
    """Maps and touches ``mb``, 16 MiB at a time; MemoryError when there is no more."""
    libc.mmap.restype = ctypes.c_void_p
    step = 16 << 20
    for _ in range(0, int(bot.given["mb"]) * MB, step):
        place = libc.mmap(None, ctypes.c_size_t(step), BOTH, flags, -1, ctypes.c_long(0))
        if place == ctypes.c_void_p(-1).value:
            raise MemoryError
        touch(range(place, place + step, mmap.PAGESIZE))


def touch(addresses: range) -> None:
    for address in addresses:
        ctypes.c_char.from_address(address).value = b"x"


@at("start")
def stack_memory(bot: Bot) -> None:
    """Memory that is mapped as if it were a stack."""
    take(bot, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_GROWSDOWN)


@at("start")
def read_only_memory(bot: Bot) -> None:
    """Fills memory and keeps it to read alone: the kernel then does not count it as data."""
    fill_to_read(int(bot.given["mb"]) * MB)


@at("each")
def creeping_memory(bot: Bot, reply: bytes) -> bytes:
    """The same, a part at each command."""
    fill_to_read(int(bot.given["mb"]) * MB // 8)
    return reply


def fill_to_read(size: int) -> None:
    """16 MiB at a time; the kernel's refusal ends the program."""
    step = 16 << 20
    for _ in range(0, size, step):
        place = mmap.mmap(-1, step, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        address = ctypes.addressof(ctypes.c_char.from_buffer(place))
        touch(range(address, address + step, mmap.PAGESIZE))
        call(libc.mprotect, ctypes.c_void_p(address), ctypes.c_size_t(step), mmap.PROT_READ)
        FILLED.append(place)


FILLED: list[mmap.mmap] = []


@at("start")
def main_stack(bot: Bot) -> None:
    """A stack as large as may be, for the program started anew."""
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    wanted = int(bot.given["mb"]) * MB
    size = wanted if most == resource.RLIM_INFINITY else min(most, wanted)
    if "again" not in bot.given:
        resource.setrlimit(resource.RLIMIT_STACK, (size, most))
        os.execv(sys.executable, [sys.executable, "-I", "-S", *sys.argv, "again=1"])
    with open("/proc/self/maps") as maps:
        top = next(int(line.split("-")[0], 16) for line in maps if "[stack]" in line)
    touch(range(top - mmap.PAGESIZE, top - size + (4 << 20), -mmap.PAGESIZE))
    if size < wanted:
        raise MemoryError


@at("start")
def shared_memory(bot: Bot) -> None:
    """Memory to be shared with children."""
    take(bot, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)


@at("start")
def file_memory(bot: Bot) -> None:
    """A file that is in memory alone."""
    try:
        descriptor = os.memfd_create("x")
    except OSError:
        raise MemoryError from None
    for _ in range(int(bot.given["mb"])):
        os.write(descriptor, bytes(MB))


@at("start")
def descriptors(bot: Bot) -> None:
    """Opens pairs of sockets and fills them: the kernel's memory, which no limit on data counts."""
    pairs, held = [], 0
    try:
        while True:
            pairs.append(socket.socketpair())
            for end in pairs[-1]:
                end.setblocking(False)
                try:
                    while held < 128 * MB:
                        held += end.send(bytes(32768))
                except BlockingIOError:
                    continue
                tell(f"descriptors: {len(pairs)} pairs hold {held // MB} MB")
                os._exit(9)
    except OSError as error:
        tell(f"descriptors: {errno.errorcode[error.errno or 0]}")
    bot.given["kept"] = pairs


# Output.


@at("move")
def flood_without_newline(bot: Bot, reply: bytes) -> bytes:
    while True:
        say(b"=" + b"x" * 65536)


@at("move")
def flood_of_replies(bot: Bot, reply: bytes) -> bytes:
    while True:
        say(reply * 1000)


@at("start")
def early_flood(bot: Bot) -> None:
    """Good replies to nothing, from before the first command on, in a thread."""

    def flood() -> None:
        while True:
            say(b"=\n\n" * 20000)

    threading.Thread(target=flood, daemon=True).start()


@at("move")
def long_line(bot: Bot, reply: bytes) -> bytes:
    """A line of 1 MB."""
    return b"= " + b"x" * MB + b"\n\n"


@at("move")
def flood_of_comments(bot: Bot, reply: bytes) -> bytes:
    while True:
        say(b"# still thinking\n" * 4000)


@at("move")
def long_comment(bot: Bot, reply: bytes) -> bytes:
    """A comment that never ends."""
    say(b"#")
    while True:
        say(b"x" * 65536)


@at("move")
def flood_of_blanks(bot: Bot, reply: bytes) -> bytes:
    while True:
        say(b" " * 65536)


@at("each")
def fat_replies(bot: Bot, reply: bytes) -> bytes:
    """Replies of 60 KB, as many as the limit on output allows, then good ones."""
    bot.given["said"] = str(said := int(bot.given.get("said", 0)) + 1)
    return reply[:-1] + b"x" * 60_000 + b"\n\n" if said <= 16 else reply


@at("start")
def error_flood(bot: Bot) -> None:
    """8 MB on standard error."""
    for _ in range(128):
        os.write(2, b"e" * 65535 + b"\n")
    tell("error_flood: allowed")


@at("move")
def endless_error_flood(bot: Bot, reply: bytes) -> bytes:
    while True:
        os.write(2, b"e" * 65536)


@at("start")
def noisy_threads(bot: Bot) -> None:
    """Threads that write to standard error and comments to standard output while others think."""

    def errors() -> None:
        while True:
            os.write(2, b"e" * 4096)

    threading.Thread(target=errors, daemon=True).start()


# The end of the program, and silence.


@at("move")
def close_output(bot: Bot, reply: bytes) -> bytes:
    os.close(1)
    time.sleep(FOREVER)
    return b""


@at("move")
def close_output_and_spin(bot: Bot, reply: bytes) -> bytes:
    os.close(1)
    while True:
        pass


@at("each")
def close_input(bot: Bot, reply: bytes) -> bytes:
    os.close(0)
    say(reply)
    time.sleep(FOREVER)
    return b""


@at("start")
def never_read(bot: Bot) -> None:
    time.sleep(FOREVER)


@at("move")
def stuffed_input(bot: Bot, reply: bytes) -> bytes:
    """Fills its own standard input and answers, so that the next command finds no room."""
    end = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while True:
            os.write(end, b"\n")
    except BlockingIOError:
        pass
    say(reply)
    time.sleep(FOREVER)
    return b""


@at("start")
def exit_at_once(bot: Bot) -> None:
    sys.exit(3)


@at("move")
def exit_when_asked(bot: Bot, reply: bytes) -> bytes:
    os._exit(0)


@at("move")
def segfault(bot: Bot, reply: bytes) -> bytes:
    ctypes.string_at(0)
    return reply


@at("each")
def answer_and_exit(bot: Bot, reply: bytes) -> bytes:
    """Ends with its reply to the last command of the match, which counts."""
    bot.given["left"] = str(left := int(bot.given["commands"]) - 1)
    bot.given["commands"] = str(left)
    if left == 0:
        say(reply)
        os._exit(0)
    return reply


@at("move")
def move_and_exit(bot: Bot, reply: bytes) -> bytes:
    """Ends with a good move, which counts; the next command finds nobody."""
    say(reply)
    os._exit(5)


@at("move")
def sleeper(bot: Bot, reply: bytes) -> bytes:
    time.sleep(FOREVER)
    return reply


@at("move")
def spinner(bot: Bot, reply: bytes) -> bytes:
    while True:
        pass


@at("move")
def stop_itself(bot: Bot, reply: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGSTOP)
    return reply


@at("move")
def drip_bytes(bot: Bot, reply: bytes) -> bytes:
    say(b"=")
    while True:
        say(b" ")
        time.sleep(0.02)


@at("move")
def drip_comments(bot: Bot, reply: bytes) -> bytes:
    while True:
        say(b"# still thinking\n")
        time.sleep(0.02)


@at("move")
def partial_line(bot: Bot, reply: bytes) -> bytes:
    say(b"= T")
    time.sleep(FOREVER)
    return b""


@at("move")
def no_empty_line(bot: Bot, reply: bytes) -> bytes:
    say(reply[:-1])
    time.sleep(FOREVER)
    return b""


@at("move")
def deaf(bot: Bot, reply: bytes) -> bytes:
    """Ignores every signal that can be ignored, and computes."""
    ignore_signals()
    while True:
        pass


def ignore_signals() -> None:
    for number in set(range(1, 65)) - {signal.SIGKILL, signal.SIGSTOP, 32, 33}:
        signal.signal(number, signal.SIG_IGN)


# What a bot says.


@at("move")
def invalid_utf8(bot: Bot, reply: bytes) -> bytes:
    return b"= \xff\xfe\n\n"


@at("move")
def nul(bot: Bot, reply: bytes) -> bytes:
    return b"= T\0D\n\n"


@at("move")
def two_replies(bot: Bot, reply: bytes) -> bytes:
    return reply + reply


@at("start")
def reply_before_asked(bot: Bot) -> None:
    say(b"=\n\n=\n\n")


@at("move")
def refuse_to_move(bot: Bot, reply: bytes) -> bytes:
    return b"? no\n\n"


@at("move")
def foreign_card(bot: Bot, reply: bytes) -> bytes:
    """A card of the deck that it does not hold."""
    deck = [value + suit for value in "23456789TJQKA" for suit in "CDHS"]
    return b"= " + next(card for card in deck if card not in bot.hand).encode() + b"\n\n"


@at("move")
def no_card(bot: Bot, reply: bytes) -> bytes:
    return b"= XX\n\n"


@at("move")
def two_words(bot: Bot, reply: bytes) -> bytes:
    return reply[:-2] + b" TD\n\n"


@at("move")
def an_id(bot: Bot, reply: bytes) -> bytes:
    """The number of the command, as GTP allows."""
    return b"=17 " + reply[2:]


@at("move")
def no_word(bot: Bot, reply: bytes) -> bytes:
    return b"=\n\n"


@at("each")
def prompt(bot: Bot, reply: bytes) -> bytes:
    return b"ready> " + reply


# Liberties that are no faults.


@at("each")
def carriage_returns(bot: Bot, reply: bytes) -> bytes:
    return reply.replace(b"\n", b"\r\n")


@at("each")
def blank_lines(bot: Bot, reply: bytes) -> bytes:
    return b"\n \n" + reply


@at("each")
def blanks(bot: Bot, reply: bytes) -> bytes:
    return reply.replace(b"\n\n", b" \t \n \n")


@at("each")
def refuse_news(bot: Bot, reply: bytes) -> bytes:
    return b"? what\n\n" if reply == b"=\n\n" else reply


@at("start")
def deaf_to_quit(bot: Bot) -> None:
    """Plays well, and never ends by itself."""
    lines = sys.stdin

    def without_quit():
        for line in lines:
            if line.strip() == "quit":
                time.sleep(FOREVER)
            yield line

    sys.stdin = without_quit()


# Attempts. `rival` is a process of the same user, `referee` the worker's; `file` is a rival's.


def x86(number: int, arm: int) -> int:
    return arm if os.uname().machine == "aarch64" else number


PTRACE, PROCESS_VM_READV, PIDFD_OPEN = x86(101, 117), x86(310, 270), 434
IOPRIO_SET, SCHED_SETSCHEDULER = x86(251, 30), x86(144, 119)
SHMGET, SEMGET, MSGGET, SHMCTL, SEMCTL, MSGCTL = (
    x86(29, 194), x86(64, 190), x86(68, 186), x86(31, 195), x86(66, 191), x86(71, 187),
)  # fmt: skip
NAME_TO_HANDLE_AT, IO_URING_SETUP, CLONE3, UNSHARE = x86(303, 264), 425, 435, x86(272, 97)
F_SETLEASE, FS_IOC_SETVERSION, LOCK = 1024, 0x40087602, fcntl.LOCK_SH | fcntl.LOCK_NB
PERF_EVENT_OPEN, BPF, KEYCTL = x86(298, 241), x86(321, 280), x86(250, 219)


def name_of(bot: Bot) -> str:
    """How whatever is made begins, so that it can be found and removed."""
    return f"arbiter-attack-{bot.given['word']}"


def read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


@at("start")
def spy(bot: Bot) -> None:
    """Looks at what is a rival's and the referee's."""
    file, rival, referee = bot.given["file"], int(bot.given["rival"]), int(bot.given["referee"])
    attempt("list a rival's folder", lambda: os.listdir(os.path.dirname(file)))
    attempt("read a rival's file", lambda: read(file))
    attempt("read it by way of /proc/self/root", lambda: read(f"/proc/self/root{file}"))
    attempt("map a rival's file by its handle", lambda: handle_of(file))
    attempt("stat a rival's file", lambda: os.stat(file))
    attempt("read /etc/shadow", lambda: read("/etc/shadow"))
    attempt("list /proc", lambda: os.listdir("/proc"))
    for whose, pid in ("a rival", rival), ("the referee", referee):
        for name in "cmdline", "environ", "maps", "mem", "stat":
            attempt(f"open {name} of {whose}", lambda: os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
        attempt(f"list the descriptors of {whose}", lambda: os.listdir(f"/proc/{pid}/fd"))
    attempt("seize a rival with ptrace", lambda: system_call(PTRACE, 0x4206, rival, 0, 0))
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
    attempt(
        "read a rival's memory",
        lambda: system_call(PROCESS_VM_READV, rival, ctypes.byref(vector), 1, ctypes.byref(vector), 1, 0),
    )
    attempt("open a rival's pidfd", lambda: system_call(PIDFD_OPEN, rival, 0))


def handle_of(file: str) -> None:
    handle = ctypes.create_string_buffer(b"\x80\0\0\0", 256)
    mount = ctypes.c_int()
    system_call(NAME_TO_HANDLE_AT, -100, ctypes.c_char_p(file.encode()), handle, ctypes.byref(mount), 0)


@at("start")
def meddle(bot: Bot) -> None:
    """Interferes with a rival and the referee; what it sends to the referee means nothing."""
    rival, referee = int(bot.given["rival"]), int(bot.given["referee"])
    cores = os.sched_getaffinity(0)
    for name, act in {
        "renice a rival": lambda: os.setpriority(os.PRIO_PROCESS, rival, 10),
        "pin a rival": lambda: os.sched_setaffinity(rival, {min(cores)}),
        "schedule a rival": lambda: os.sched_setscheduler(rival, os.SCHED_IDLE, os.sched_param(0)),
        "slow a rival's disk": lambda: system_call(IOPRIO_SET, 1, rival, 3 << 13),
        "read a rival's limits": lambda: resource.prlimit(rival, resource.RLIMIT_NOFILE),
        "limit a rival": lambda: resource.prlimit(rival, resource.RLIMIT_NOFILE, (10, 10)),
        "stop a rival": lambda: os.kill(rival, signal.SIGSTOP),
        "kill a rival": lambda: os.kill(rival, signal.SIGKILL),
        "signal the referee": lambda: os.kill(referee, 0),
        "signal the launcher": lambda: os.kill(int(bot.given["launcher"]), 0),
        "signal everybody": lambda: os.kill(-1, 0),
        "signal by a descriptor": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, rival),
        "take another core": lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
        "be preferred": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
        "outlive the launcher": lambda: call(libc.prctl, 1, 0, 0, 0, 0),
    }.items():
        attempt(name, act)


@at("start")
def offer(bot: Bot) -> None:
    """Offers another bot every way to talk to it; ``accept`` is the other one."""
    scratch, name = bot.given["scratch"], name_of(bot)
    port, kept = int(bot.given["port"]), []
    bot.given["kept"] = kept

    def listen(family: int, kind: int, address) -> None:
        made = socket.socket(family, kind)
        kept.append(made)
        made.bind(address)
        if kind == socket.SOCK_STREAM:
            made.listen()

    for what, act in {
        "TCP": lambda: listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
        "UDP": lambda: listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)),
        "an abstract socket": lambda: listen(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}"),
        "a socket with a path": lambda: listen(socket.AF_UNIX, socket.SOCK_STREAM, f"{scratch}/socket"),
        "a named pipe": lambda: os.mkfifo(f"{scratch}/pipe"),
        "a file": lambda: os.mkdir(f"{scratch}/file"),
        "a file in /dev/shm": lambda: os.mkdir(f"/dev/shm/{name}"),
        "a file in /tmp": lambda: os.mkdir(f"/tmp/{name}"),
        "a temporary file": lambda: os.mkdir(f"{TEMPORARY}/{name}-word"),
        "System V shared memory": lambda: system_call(SHMGET, port, 4096, 0o1600),
        "System V semaphores": lambda: system_call(SEMGET, port, 1, 0o1600),
        "System V messages": lambda: system_call(MSGGET, port, 0o1600),
        "a POSIX message queue": lambda: call(
            libc.mq_open, f"/{name}".encode(), os.O_CREAT | os.O_RDWR, 0o600, None
        ),
        "keys of the kernel": add_key,
    }.items():
        attempt(f"offer {what}", act)


USER_KEYRING = -4
ADD_KEY, EXIT = x86(248, 217), x86(60, 93)


def add_key() -> None:
    system_call(
        ADD_KEY,
        ctypes.c_char_p(b"user"),
        ctypes.c_char_p(b"arbiter"),
        ctypes.c_char_p(b"x"),
        1,
        USER_KEYRING,
    )


@at("move")
def accept(bot: Bot, reply: bytes) -> bytes:
    """Takes what ``offer`` offers, and leaves nothing of it."""
    scratch, port, name = bot.given["scratch"], int(bot.given["port"]), name_of(bot)

    def reach(family: int, kind: int, address) -> None:
        with socket.socket(family, kind) as made:
            made.connect(address)
            # On the loopback, the second send tells that nobody had the first.
            made.send(b"x")
            made.send(b"x")

    def remove(get: int, control: int, *arguments: int) -> None:
        system_call(control, system_call(get, port, *arguments), 0, 0)

    for what, act in {
        "TCP": lambda: reach(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
        "UDP": lambda: reach(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)),
        "an abstract socket": lambda: reach(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}"),
        "a socket with a path": lambda: reach(socket.AF_UNIX, socket.SOCK_STREAM, f"{scratch}/socket"),
        "a named pipe": lambda: os.unlink(f"{scratch}/pipe"),
        "a file": lambda: os.rmdir(f"{scratch}/file"),
        "a file in /dev/shm": lambda: os.rmdir(f"/dev/shm/{name}"),
        "a file in /tmp": lambda: os.rmdir(f"/tmp/{name}"),
        "a temporary file": lambda: os.rmdir(f"{TEMPORARY}/{name}-word"),
        "System V shared memory": lambda: remove(SHMGET, SHMCTL, 0, 0),
        "System V semaphores": lambda: remove(SEMGET, SEMCTL, 0, 0),
        "System V messages": lambda: remove(MSGGET, MSGCTL, 0),
        "a POSIX message queue": lambda: call(libc.mq_unlink, f"/{name}".encode()),
        "keys of the kernel": lambda: system_call(
            KEYCTL, 10, USER_KEYRING, ctypes.c_char_p(b"user"), ctypes.c_char_p(b"arbiter"), 0
        ),
    }.items():
        attempt(what, act)
    return reply


@at("start")
def fill_disk(bot: Bot) -> None:
    """Changes files wherever a program is used to; ``own`` is a file of its own."""
    scratch, own = bot.given["scratch"], bot.given["own"]

    def write(path: str) -> None:
        with open(path, "wb") as file:
            file.write(bytes(MB))
        os.unlink(path)

    name = f"{name_of(bot)}-{os.getpid()}"
    for what, act in {
        "write in the own folder": lambda: write(f"{os.getcwd()}/{name}"),
        "write elsewhere": lambda: write(f"{scratch}/{name}"),
        "write at home": lambda: write(os.path.expanduser(f"~/{name}")),
        "write in /tmp": lambda: write(f"/tmp/{name}"),
        "write in /var/tmp": lambda: write(f"/var/tmp/{name}"),
        "write a file without a name": lambda: os.close(os.open(scratch, os.O_TMPFILE | os.O_RDWR)),
        "make a folder": lambda: os.mkdir(f"{scratch}/folder"),
        "make a link": lambda: os.symlink("/etc/passwd", f"{scratch}/link"),
        "change its own file": lambda: os.close(os.open(own, os.O_WRONLY)),
        "shorten its own file": lambda: os.truncate(own, 1),
        "change its own file's mode": lambda: os.chmod(own, 0o644),
        "change its own file's time": lambda: os.utime(own),
        "rename its own file": lambda: os.rename(own, own + "2"),
        "remove its own file": lambda: os.unlink(own + "2" if os.path.exists(own + "2") else own),
        "write to a null device": lambda: os.write(os.open("/dev/null", os.O_WRONLY), b"x"),
    }.items():
        attempt(what, act)


TEMPORARY = os.environ.get("TMPDIR", "/tmp")


@at("start")
def litter(bot: Bot) -> None:
    """Fills its temporary folder, and makes of it what it can; leaves nothing there."""
    place = f"{TEMPORARY}/{name_of(bot)}-{os.getpid()}"
    one, other = f"{place}/one", f"{place}/other"

    def write(path: str, size: int = 1, mode: int = 0o600) -> None:
        file = os.open(path, os.O_WRONLY | os.O_CREAT, mode)
        try:
            for _ in range(size):
                os.write(file, bytes(MB))
        finally:
            os.close(file)

    def lengthen(path: str, size: int) -> None:
        with open(path, "ab") as file:
            file.truncate(size)

    def map_program() -> None:
        file = os.open(one, os.O_RDONLY)
        try:
            mmap.mmap(file, mmap.PAGESIZE, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()
        finally:
            os.close(file)

    for what, act in {
        "a folder": lambda: os.mkdir(place),
        "a file": lambda: write(one, mode=0o700),
        "another name for a file": lambda: os.rename(one, other),
        "the first name again": lambda: os.rename(other, one),
        "run a program in it": lambda: os.execv(one, [one]),
        "map a program in it": map_program,
        "a symbolic link": lambda: os.symlink("/etc/passwd", f"{place}/link"),
        "a hard link": lambda: os.link(one, f"{place}/hard"),
        "a named pipe": lambda: os.mkfifo(f"{place}/pipe"),
        "a device": lambda: os.mknod(f"{place}/device", 0o020666, os.makedev(1, 8)),
        "a socket": lambda: os.mknod(f"{place}/socket", 0o140666),
        "a file's mode": lambda: os.chmod(one, 0o4755),
        "a file's time": lambda: os.utime(one),
        "an attribute of a file": lambda: os.setxattr(one, "user.word", b"word"),
        "move a file out of it": lambda: os.rename(one, f"{bot.given['scratch']}/moved"),
        "climb out of it": lambda: os.mkdir(f"{place}/../../../..{bot.given['scratch']}/climbed"),
        "a file larger than the machine": lambda: lengthen(one, 1 << 45),
        "more than fits in": lambda: write(other, 80),
        "more files than fit in": lambda: [write(f"{place}/{number}", 0) for number in range(1500)],
        "remove all of it": lambda: remove_all(place),
    }.items():
        attempt(what, act)


def remove_all(folder: str) -> None:
    for name in os.listdir(folder):
        os.unlink(f"{folder}/{name}")
    os.rmdir(folder)


def with_own(bot: Bot, act) -> None:
    """Do something with a file of its own that is open for reading."""
    file = os.open(bot.given["own"], os.O_RDONLY)
    try:
        act(file)
    finally:
        os.close(file)


def lock_twice(bot: Bot, own: int) -> None:
    """Locks belong to what was opened, so the second one fails where the first is real."""
    fcntl.flock(own, fcntl.LOCK_EX)
    with_own(bot, lambda again: fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB))


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


@at("start")
def escape(bot: Bot) -> None:
    """More rights, and ways round."""
    tell(f"open descriptors: {[number for number in range(4096) if is_open(number)]}")
    for what, act in {
        "become root": lambda: os.setuid(0),
        "a user namespace": lambda: system_call(UNSHARE, 0x1000_0000),
        "io_uring": lambda: system_call(IO_URING_SETUP, 1, ctypes.create_string_buffer(256)),
        "performance counters": lambda: system_call(PERF_EVENT_OPEN, 0, 0, -1, -1, 0),
        "programs in the kernel": lambda: system_call(BPF, 0, 0, 0),
        "keys of the kernel": lambda: system_call(KEYCTL, 0, -3, 0),
        "a process by clone3": lambda: system_call(CLONE3, 0, 0),
        "a call of tomorrow": lambda: system_call(999, 0),
        "a lease on a file": lambda: with_own(bot, lambda own: fcntl.fcntl(own, F_SETLEASE, fcntl.F_RDLCK)),
        "a lock on a file": lambda: with_own(bot, lambda own: fcntl.lockf(own, LOCK)),
        "two locks on a file that shut each other out": lambda: with_own(
            bot, lambda own: lock_twice(bot, own)
        ),
        "flags of a file": lambda: with_own(bot, lambda own: fcntl.ioctl(own, FS_IOC_SETVERSION, bytes(8))),
        "a process by posix_spawn": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
    }.items():
        attempt(what, act)


@at("start")
def programs(bot: Bot) -> None:
    """Turns into a rival's program."""
    attempt("run a rival's program", lambda: os.execv(bot.given["file"], [bot.given["file"]]))


if __name__ == "__main__":
    main()
