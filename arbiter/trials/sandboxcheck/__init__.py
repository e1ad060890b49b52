"""Attacks on a table on this machine, and their outcomes."""
