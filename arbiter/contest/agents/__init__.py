"""Coding agents that write bots, with a folder (arena) in which they check, submit and play them; and models
that play at a site's table.

The arena's functions take an `AgentArena` and return JSON values, which `arbiter arena` prints.
"""
