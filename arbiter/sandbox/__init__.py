"""Run programs confined and metered: launcher, forkserver, tiers, system-call policy, builds.

It imports `match.spec`, `match.limits`, `errors` and the standard library, and knows no rules of a game.
"""
