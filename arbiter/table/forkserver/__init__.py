"""The slim process that starts bots inside limits and ends whole families of them.

Theory of operation. A worker is fat (rules, numbers, a pool's machinery); forking it is slow and
its memory would show in the bots. So each worker keeps one slim process, this package run by
itself with the standard library alone (`arbiter.table.launcher` is the worker's side). It forks the bots,
and since it is the first process of a namespace, or makes itself their subreaper, everything a bot may
leave behind becomes its child too: `stop` kills until no descendant is left. If the worker dies, however it
dies, this process reads the end of its socket, kills what there is and ends; if this process dies, the kernel
kills the bots.

- `stage`: the namespaces that confined bots live in, and the copies of their files there;
- `birth`: from the fork to the bot's program;
- `family`: the bots of a match and how they end;
- `supervisor`: system calls that wait for an answer;
- `kernel`: what the standard library has no name for.

The dialogue is one JSON message per datagram on a socket pair, ``{"do": name, "with": {...}}``;
`start` is answered together with four descriptors a bot: its stdin, stdout, stderr and its process.
"""

from __future__ import annotations

MESSAGE_LIMIT = 256 * 1024
DESCRIPTORS_PER_BOT = 4
