"""The referee by hand: a match that its user conducts, command by command.

`position.py` says where a match stands; `occupants.py` who may sit in a seat; `machine.py` moves a
match on, takes it back and feeds recorded play; `face.py` is its face in a terminal.
"""
