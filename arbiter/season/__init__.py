"""A season: planned, played round by round, rated, checked; `snapshot` is one at a moment for a reader.

`config` reads the season's file, `ledger` is the bridge to `rating`, `match_runner` plays what
`round_plan` plans, `verify` checks what is stored. It imports `table`, `store`, `replay`, `match`,
`games` and `rating`. Never in it: HTTP, a terminal.
"""
