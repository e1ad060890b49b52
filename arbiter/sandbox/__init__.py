"""Programs run confined, metered and killed: launcher, forkserver, tiers, system-call policy, builds.

It imports `match.spec` and `match.limits`, `errors`, and the standard library. Never in it: a card, a
rule, a referee.
"""
