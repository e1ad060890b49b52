"""A bot that plays Planning and uses time in one exact way: ``burner.py HOW MILLISECONDS``.

For each decision it burns so much CPU time of its process (``burn``), sleeps (``sleep``), burns with
four threads at once (``threads``) or in a child (``child``). Of two that ``ponder`` the first answers at once while a thread of it
computes all the time, and the second sleeps long, so that the first has others' time to use.
"""

import os
import sys
import threading
import time

how, ms = sys.argv[1], float(sys.argv[2])
hand, trick, players, seat = [], [], 4, 0


def burn(milliseconds):
    """Until the process has used so much CPU more than it had."""
    end = time.process_time_ns() + int(milliseconds * 1e6)
    while time.process_time_ns() < end:
        pass


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


uses = {
    "burn": burn,
    "sleep": lambda milliseconds: time.sleep(milliseconds / 1e3),
    "ponder": lambda milliseconds: time.sleep(seat * 10 * milliseconds / 1e3),
    "threads": burn_in_threads,
    "child": burn_in_a_child,
}
for line in sys.stdin:
    words = line.split()
    answer = "="
    if words[0] == "set_players":
        players, seat = int(words[1]), int(words[2])
        if how == "ponder" and seat == 0:
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
