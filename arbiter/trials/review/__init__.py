"""What each decision of a match was worth to a program that values answers: losses, chances, luck.

`review_match` follows a record and asks the program, `gen_values` reads what it says, `decision_loss` makes
figures of it, `luck` values deals, `sentences` puts the costliest decisions into sentences, `review_round`
reviews all of a round.
"""
