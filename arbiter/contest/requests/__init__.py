"""Matches that authors ask for, out of competition: what may be asked, how it is played, what came of it.

They are played from seeds of their own into a store of their own, so nothing of them counts, and no card of a
rated deal is in any.
"""
