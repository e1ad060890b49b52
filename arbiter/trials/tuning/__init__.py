"""Tune a bot's numbers by matches of the bot against itself.

| module | job |
|---|---|
| `tuning_file` | which numbers of which bot, and how: a tuning's file |
| `tuning_run` | plays iterations into a store and moves the numbers by their results |
| `chart` | the course of the numbers as a picture |
"""
