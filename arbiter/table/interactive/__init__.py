"""Interactive play: a match that its user conducts, command by command.

`interactive_match` advances and undoes a match and feeds recorded play; `occupants` are the possible players
of a seat; `verbs` are the commands, `console` a session in a terminal, `session` one for pages.
"""
