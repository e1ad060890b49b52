"""Coding agents, which write bots: a folder in which they try, submit and play them, and read how it went.
Models that sit at a table of a site.

| module | job |
|---|---|
| `arena` | the folder: its season, whose players are the rungs, and the agent as an author there |
| `agent_programs` | a program checked, and submitted as a version |
| `gauntlet_rounds` | a version against the rungs, and where it stands |
| `version_matches` | what came of its matches, one of them as its seat saw it, its log |
| `manual` | what there is to read before the first line is written |
| `answer_limits` | how much an answer may hold; pages of what is longer |
| `mcp_server` | the same as tools of the Model Context Protocol |
| `table_client` | a seat at a visitors' table, asked for over HTTP |
| `table_tools` | the same as tools |

An arena's are functions of an `AgentArena` that return JSON values, which `arbiter arena` prints.
"""
