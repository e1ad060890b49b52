"""What `import arbiter` offers: matches, results, seasons, ratings and comparisons as Python values.

`playing` plays, `contenders` reads who plays, `player_digests` identifies programs, `match_results` holds
the records, `season_reader` opens a season, `rating_fit` rates, `comparison` tests two bots. `arbiter`
imports each name from here at first use; `arbiter/__init__.pyi` has the types. It imports every district but
`cli` and `contest`. Never in it: a figure computed for one caller, a terminal.
"""
