"""What each decision of a match was worth to a program that values answers: losses, chances, luck.

`review_match` follows a record, asks the program and puts the costliest decisions into sentences,
`gen_values` reads its answers, `luck` values deals, `review_round` reviews all of a round.
"""
