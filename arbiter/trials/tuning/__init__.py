"""A bot's numbers tuned by matches of the bot against itself.

| module | job |
|---|---|
| `tuning_file` | which numbers of which bot, and how: a tuning's file |
| `course` | where the numbers are, what the matches of an iteration say; iterations played into a store |
| `picture` | their way as a picture |
"""
