"""A bot's numbers tuned by matches of the bot against itself.

| module | job |
|---|---|
| `tuning_file` | which numbers of which bot, and how: a tuning's file |
| `tuning_run` | where the numbers are, what the matches of an iteration say; iterations played into a store |
| `chart` | their way as a picture |
"""
