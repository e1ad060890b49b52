"""A season: planned, played round by round, rated, verified; `snapshot` is its state for a reader.

`config` reads the season's file, `ledger` is the bridge to `rating`, `match_runner` plays what
`round_plan` plans, `verify` checks what is stored. It imports `table`, `store`, `replay`, `match`,
`games` and `rating`. Never in it: HTTP, a terminal.
"""
