"""Coding agents, which write bots: a folder in which they try, submit and play them, and read how it went.
Models that sit at a table of a site.

An arena's are functions of an `AgentArena` that return JSON values, which `arbiter arena` prints.
"""
