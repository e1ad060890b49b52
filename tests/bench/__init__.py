"""Figures for `make bench`: CPU time, never wall time, and nothing that passes or fails."""
