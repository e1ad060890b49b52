"""Snapshot of a season for one reader, which all front ends show."""
