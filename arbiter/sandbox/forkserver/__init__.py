"""The slim process that starts bots inside limits and ends them with all their descendants.

Theory of operation. A worker is fat (rules, numbers, a pool's machinery): forking it is slow, and
its memory would show in the bots. So each worker keeps one slim process, this package run by
itself with the standard library alone (`arbiter.sandbox.launcher` is the worker's side). It forks the bots.
Since it is the first process of a namespace, or makes itself their subreaper, whatever a bot
leaves behind becomes its child, too: `stop` kills until no descendant is left. If the worker dies, this
process reads the end of its socket, kills all bots and ends; if this process dies, the kernel kills the bots.

- `stage`: the namespaces that confined bots live in, and `copies`: the players' folders there;
- `users`: a user of its own for each bot, and `numbering`: process numbers of its own;
- `system`: the system in memory, which `keeper` fills and hands out, with the libraries that programs load
  (`libraries`), and `root`: the root folder that a bot sees;
- `birth`: from the fork to the bot's program;
- `family`: the bots of a match, and `bot`: one of them, and how it ends;
- `reserve`: memory that it has from its start on, so that it tells nothing of earlier matches;
- `supervisor`, `questions`, `waits`: system calls that wait for an answer;
- `dialogue`: how requests are answered, `board`: memory that is shared with the worker;
- `kernel`: system calls that the standard library does not have.

The dialogue is one JSON message per datagram on a socket pair, ``{"do": name, "with": {...}}``;
`start` is answered together with four descriptors per bot: its stdin, stdout, stderr and its process.
"""

from __future__ import annotations

DESCRIPTORS_PER_BOT = 4
MOST_DESCRIPTORS = 255
"""That a bot may open. One beyond them takes its listener to the supervisor: no bot can have that number."""
SCRATCH_BYTES = 16 << 20
"""The most in a bot's temporary folder, which counts as its memory where it has a control group."""
OWN_ENTRIES = ("cmdline", "maps", "stat", "statm")
"""Of a process, what runtimes read in /proc. Not what numbers its files, threads, mounts or namespaces."""
SYSTEM_BYTES = 1 << 30
"""The most in the system in memory."""
PLAYER_BYTES = 256 << 20
"""Of it, what one player may be the first to need."""
