"""What a Python bot finds under `PYTHONPATH` while it is debugged: `arbiter_breakpoint`, and nothing else."""
