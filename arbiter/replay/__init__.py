"""A match as a reader sees it: frames, replays, score sheets, pictures, reviews and exported files.

`visibility` decides which cards a reader may see; everything that shows a match goes through it. It
imports `match` and `games`. Never in it: a season, a store, a decision about play.
"""
