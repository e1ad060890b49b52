"""What each decision of a match was worth to a program that values answers: losses, chances, luck.

`play` follows a record and asks the program, `answers` reads what it says, `losses` makes figures of it,
`luck` values deals, `saying` puts the costliest decisions into sentences, `rounds` reviews all of a round.
"""
