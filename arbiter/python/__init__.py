"""What `import arbiter` offers: matches, results, seasons, ratings and comparisons as Python values.

`playing` plays, `match_loop` in workers too, `contenders` reads who plays, `player_digests` identifies
programs, `match_results` holds the records, `joining` checks what may be counted together, `season_reader`
opens a season, `rating_fit` rates, `comparison` tests two bots, `table_types` has the types of tables and
rows. `arbiter` imports each name from here at first use; `arbiter/__init__.pyi` has the types. It imports
every district but `cli` and `contest`. Never in it: a figure computed for one caller.
"""
