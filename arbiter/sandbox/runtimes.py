"""The variables that tell the runtimes of common languages of a bot's limits.

A runtime that knows no limit sizes itself by the machine: OpenJDK takes a 64th of its memory at once, and
ends before its first reply; Node and Go let garbage grow until they die of it.
"""

from __future__ import annotations

HEAP_PERCENT = 60
"""Of the memory, for a heap: the rest is the runtime's own (code, threads, compilers), 60 MB and more."""
SMALL_HEAP_PERCENT = 40
"""The same where OpenJDK takes the memory for small, up to some 200 MB."""
JAVA_TEMPORARY = "/tmp"


def settings(memory_bytes: int, knows_memory: bool, temporary: str) -> dict[str, str]:
    """Variables for a bot with a limit on memory, each of which the player's own wins over.

    `knows_memory`: it takes its limit for the machine's memory; `temporary`: its temporary folder, or "".
    """
    java = [
        # Before OpenJDK 8u191 some of these are unknown.
        "-XX:+IgnoreUnrecognizedVMOptions",
        f"-XX:MaxRAM={memory_bytes}",
        f"-XX:MaxRAMPercentage={HEAP_PERCENT}",
        f"-XX:MinRAMPercentage={SMALL_HEAP_PERCENT}",
        # One core: the serial collector, and no threads for others.
        "-XX:ActiveProcessorCount=1",
        # Instead of a gigabyte of addresses, which are limited, too.
        "-XX:CompressedClassSpaceSize=64m",
        # Standard output is for replies: its words go to standard error, its long reports nowhere.
        "-XX:+DisplayVMOutputToStderr",
        "-XX:ErrorFile=/dev/null",
    ]
    if temporary and temporary != JAVA_TEMPORARY:
        java.append(f"-Djava.io.tmpdir={temporary}")
    found = {
        # OpenJDK 8 and newer say on standard error that they have picked it up.
        "JAVA_TOOL_OPTIONS": " ".join(java),
        # Go 1.19 and newer collect garbage earlier as the heap comes near. All counts of the 64 MB that Go
        # takes at once: without this, most programs with 60 of 400 MB in use came to their limit.
        "GOMEMLIMIT": f"{memory_bytes * HEAP_PERCENT // 100}",
        # OpenBLAS, OpenMP and torch start a thread for each core that they see, each with memory.
        "OMP_NUM_THREADS": "1",
    }
    if not knows_memory:
        # It costs 10 ms of each start, and Node knows by itself where it sees the memory.
        found["NODE_OPTIONS"] = f"--max-old-space-size={memory_bytes * HEAP_PERCENT // 100 >> 20}"
    if temporary:
        found["TMPDIR"] = temporary
    return found
