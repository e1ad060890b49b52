"""Coding agents, which write bots: a folder in which they try, submit and play them, and read how it went.
Models that sit at a table of a site.

| module | job |
|---|---|
| `arena` | the folder: its season, whose players are the rungs, and the agent as an author there |
| `programs` | a program checked, and submitted as a version |
| `rounds` | a version against the rungs, and where it stands |
| `matches` | what came of its matches, one of them as its seat saw it, its log |
| `manual` | what there is to read before the first line is written |
| `bounds` | how much an answer may hold; pages of what is longer |
| `server` | the same as tools of the Model Context Protocol |
| `visit` | a seat at a visitors' table, asked for over HTTP |
| `seat` | the same as tools |

An arena's are functions of an `AgentArena` that return JSON values, which `arbiter arena` prints.
"""
