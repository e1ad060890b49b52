"""Tests of bots, games and the machine.

`regression` and `tuning` compare versions, `gauntlet` and `qualify` test players, `suite` and `botcheck`
run named checks, `review` evaluates decisions, `sandboxcheck` attacks the machine. It imports `season`, the
layers below it, and `rating`; it has nothing of accounts or HTTP.
"""
