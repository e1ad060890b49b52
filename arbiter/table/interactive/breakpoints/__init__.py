"""The only module that a Python bot finds under `PYTHONPATH` while it is debugged: `arbiter_breakpoint`."""
