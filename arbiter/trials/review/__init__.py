"""Review matches with a program that evaluates answers: expected loss of each decision, chances, luck.

`review_match` follows a record, asks the program and describes the costliest decisions in sentences,
`gen_values` reads its answers, `luck` evaluates deals, `review_round` reviews all matches of a round.
"""
