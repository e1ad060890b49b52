"""Attacks on a table of this machine, and what became of them."""
