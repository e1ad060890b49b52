"""Unrated matches that authors request: validation, play, outcome.

They have separate seeds and a separate store, so none of them counts, and they reveal no rated deal.
"""
