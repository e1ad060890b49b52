"""The referee by hand: a match that its user conducts, command by command.

`machine` moves a match on, takes it back and feeds recorded play; `occupants` are who may sit in a
seat; `face` is a session in a terminal, `words` what it shows.
"""
