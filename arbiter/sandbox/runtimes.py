"""Environment variables that adapt the runtimes of common languages to a bot's limits.

A runtime without them sizes itself by the machine: OpenJDK takes a 64th of its memory at once, and ends
before its first reply; Node and Go let garbage grow beyond the limit.
"""

from __future__ import annotations

HEAP_PERCENT = 60
"""The heap's share of the memory; the rest is for code, threads and compilers, 60 MB and more."""
SMALL_HEAP_PERCENT = 40
"""The same for memory that OpenJDK treats as small, up to some 200 MB."""
JAVA_TEMPORARY = "/tmp"


def settings(memory_bytes: int, knows_memory: bool, temporary: str) -> dict[str, str]:
    """Return variables for a bot with a memory limit; the player's own override them.

    `knows_memory`: it sees its limit as the machine's memory; `temporary`: its temporary folder, or "".
    """
    java = [
        # OpenJDK before 8u191 does not know all of these.
        "-XX:+IgnoreUnrecognizedVMOptions",
        f"-XX:MaxRAM={memory_bytes}",
        f"-XX:MaxRAMPercentage={HEAP_PERCENT}",
        f"-XX:MinRAMPercentage={SMALL_HEAP_PERCENT}",
        # One core: the serial collector, and no threads for others.
        "-XX:ActiveProcessorCount=1",
        # Instead of a gigabyte of address space, which is limited, too.
        "-XX:CompressedClassSpaceSize=64m",
        # Standard output is for replies: messages go to standard error, long reports nowhere.
        "-XX:+DisplayVMOutputToStderr",
        # From OpenJDK 9 on warnings, such as of an archive that does not fit, are a separate log.
        "-Xlog:disable -Xlog:all=warning:stderr",
        "-XX:ErrorFile=/dev/null",
    ]
    if temporary and temporary != JAVA_TEMPORARY:
        java.append(f"-Djava.io.tmpdir={temporary}")
    found = {
        # OpenJDK 8 and newer print a notice of it on standard error.
        "JAVA_TOOL_OPTIONS": " ".join(java),
        # Go 1.19 and newer collect garbage earlier near this limit.
        "GOMEMLIMIT": f"{memory_bytes * HEAP_PERCENT // 100}",
        # OpenBLAS, OpenMP and torch start a thread for each visible core, each with memory.
        "OMP_NUM_THREADS": "1",
    }
    if not knows_memory:
        # It costs 10 ms at each start, and Node does not need it if it sees the limit.
        found["NODE_OPTIONS"] = f"--max-old-space-size={memory_bytes * HEAP_PERCENT // 100 >> 20}"
    if temporary:
        found["TMPDIR"] = temporary
    return found
