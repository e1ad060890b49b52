"""A bot, a game or the machine put to the test.

`regression` and `tuning` compare versions, `gauntlet` and `qualify` try players, `suite` and `botcheck`
run named checks, `review` values decisions, `sandboxcheck` attacks the machine. It imports `season` and
what is below it, and `rating`. Never in it: accounts, HTTP.
"""
