"""Programs that authors send: who may, what they sent, what was found of it.

| module | job |
|---|---|
| `author_accounts` | who may send programs: names that nobody mistakes, tokens |
| `inspection_steps` | what an inspection says: its steps, a refusal; how long it may take |
| `archive` | its names judged, its files written |
| `archive_storage` | archives as they come in |
| `inspector` | the queue, an inspection at a time |
| `client` | a program sent to a site, from its author's machine |
| `match_log` | a match as the author of a seat may read it |
| `build_recipe` | what is started and how it is built: by `bot.yaml`, or by the names of files |
| `languages` | what this machine has for authors: languages, versions, libraries |
| `archive_build` | sources built, and what the command names taken over |
| `trial_matches` | a program tried under its season's own terms |
| `inspection` | all of it in order, in a folder that is whole or absent |
"""
