"""A bot that plays Planning and uses time in one exact way: ``burner.py HOW MILLISECONDS``.

For each decision it burns so much CPU time of its process (``burn``), sleeps (``sleep``), burns with
four threads at once (``threads``) or in a child (``child``). Of two that ``ponder`` the first answers at once while a thread of it
computes all the time, and the second sleeps long, so that the first has others' time to use; of two that
``hog`` the second computes long instead; of two that ``defy``, too, and an orphan of the first one tells it to go on
all the time. Of two that ``hoard`` the first has a thread that has waited for the core
all the while that the program started; for its first decision that thread starts the program anew, which makes
it the main one, and sleeps for so long.
"""

import hashlib
import os
import signal
import sys
import threading
import time

how, ms = sys.argv[1], float(sys.argv[2])
hand: list[str] = []
trick: list[str] = []
players, seat = 4, 0


def burn(milliseconds):
    """Until the process has used so much CPU more than it had."""
    end = time.process_time_ns() + int(milliseconds * 1e6)
    while time.process_time_ns() < end:
        pass


def compete(data=bytes(1 << 20)):
    """Use the core without the interpreter's lock."""
    while True:
        hashlib.sha256(data)


def wait_and_start_anew():
    """A thread that competes with others for a second, and then takes the program's place when it is told to."""
    for _ in range(6):
        threading.Thread(target=compete, daemon=True).start()
    end = time.monotonic() + 1
    while time.monotonic() < end:
        hashlib.sha256(bytes(1 << 20))
    ready.set()
    now.wait()
    os.execv(sys.executable, [sys.executable, "-I", "-S", __file__, "late", *sys.argv[2:3], *hand])


ready, now = threading.Event(), threading.Event()


def hoard(milliseconds):
    """Of the first, once; the second answers at once."""
    if seat == 0:
        now.set()
        time.sleep(milliseconds)


def burn_own(milliseconds):
    """Until the thread has used so much CPU."""
    end = time.thread_time_ns() + int(milliseconds * 1e6)
    while time.thread_time_ns() < end:
        pass


def burn_in_threads(milliseconds):
    """Four threads that want so much CPU each."""
    threads = [threading.Thread(target=burn_own, args=(milliseconds,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def burn_in_a_child(milliseconds):
    """A child wants so much CPU, while the process itself, which is put off for it, is never asleep."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    child = os.fork()
    if child == 0:
        burn(milliseconds)
        os._exit(0)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        pass
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    os.sched_setaffinity(0, cores)


def be_told_to_go_on():
    """By an orphan in a session of its own, every ms."""
    me = os.getpid()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                os.kill(me, signal.SIGCONT)
                time.sleep(0.001)
        os._exit(0)
    os.wait()


uses = {
    "burn": burn,
    "sleep": lambda milliseconds: time.sleep(milliseconds / 1e3),
    "ponder": lambda milliseconds: time.sleep(seat * 10 * milliseconds / 1e3),
    "threads": burn_in_threads,
    "child": burn_in_a_child,
    "hog": lambda milliseconds: burn(seat * 10 * milliseconds),
    "defy": lambda milliseconds: burn(seat * 10 * milliseconds),
    "hoard": hoard,
    "late": lambda _: None,
}
if how == "hoard":
    threading.Thread(target=wait_and_start_anew, daemon=True).start()
    ready.wait()
if how == "late":
    hand = sys.argv[3:]
    time.sleep(ms / 1e3)
    print("= 0\n", flush=True)
for line in sys.stdin:
    words = line.split()
    answer = "="
    if words[0] == "set_players":
        players, seat = int(words[1]), int(words[2])
        if how in ("ponder", "hog", "defy") and seat == 0:
            if how == "defy":
                be_told_to_go_on()
            threading.Thread(target=burn, args=(60_000,), daemon=True).start()
    elif words[0] == "set_cards":
        hand, trick = words[2:], []
    elif words[0].startswith("gen_"):
        uses[how](ms)
        following = [card for card in hand if trick and card[1] == trick[0][1]]
        answer = "= 0" if words[0] == "gen_declare" else "= " + (following or hand)[0]
    elif words[0] == "play":
        if len(trick) == players:
            trick = []
        trick.append(words[2])
        if words[2] in hand:
            hand.remove(words[2])
    print(answer + "\n", flush=True)
