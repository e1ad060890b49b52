"""The referee by hand: a match that its user conducts, command by command.

`interactive_match` moves a match on, takes it back and feeds recorded play; `occupants` are who may sit in a
seat; `verbs` is what can be done, `console` a session in a terminal, `session` one that pages look at.
"""
