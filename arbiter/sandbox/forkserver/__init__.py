"""The forkserver: a slim process that starts bots with limits, and ends them with all their descendants.

Theory of operation. A worker is large (rules, numbers, a process pool): forking it is slow, and its memory
would show in the bots. So each worker has a forkserver, this package run as a program with only the
standard library (`arbiter.sandbox.launcher` is its client). It is the first process of a namespace, or a
subreaper, so all descendants of bots become its children: `stop` kills until none is left. If the worker
dies, the forkserver reads the end of its socket, kills all bots and ends; if it dies, the kernel kills the
bots.

- `stage`: the namespaces of confined bots; `copies`: the players' folders there;
- `users`: a separate user for each bot; `numbering`: a separate process namespace;
- `system`: the system in memory, which `keeper` fills and shares, with the libraries that programs load
  (`libraries`); `root`: the root folder that a bot sees;
- `birth`: from the fork to the bot's program;
- `family`: the bots of a match; `bot`: one of them, and its end;
- `reserve`: memory allocated at start, so that its growth reveals nothing about earlier matches;
- `supervisor`, `supervised`, `questions`, `waits`, `own_calls`: system calls that wait for an answer;
- `dialogue`: requests and answers; `board`: memory shared with the worker;
- `kernel`: system calls that the standard library does not have.

A request is one JSON message per datagram on a socket pair, ``{"do": name, "with": {...}}``. `start` also
returns four descriptors for each bot: its stdin, stdout, stderr and pidfd.
"""

from __future__ import annotations

DESCRIPTORS_PER_BOT = 4
MOST_DESCRIPTORS = 255
"""Descriptors of a bot. The next number, which no bot can have, sends its listener to the supervisor."""
SCRATCH_BYTES = 16 << 20
"""The size of a bot's temporary folder, which counts as its memory in a control group."""
OWN_ENTRIES = ("cmdline", "maps", "stat", "statm")
"""Entries of /proc/self that runtimes read, without ids of files, threads, mounts or namespaces."""
SYSTEM_BYTES = 1 << 30
"""The size limit of the system in memory."""
PLAYER_BYTES = 256 << 20
"""The part of it that one player may add."""
OURS = "cannot prepare it: "
"""Before the reason why a program was not started that is not in the program, its file or its folder."""
