"""The folder in `PYTHONPATH` of a debugged Python bot, with only `arbiter_breakpoint`."""
