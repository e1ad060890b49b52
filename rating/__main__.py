"""`python -m rating`: the command `rating`."""

from __future__ import annotations

from rating.cli import main

if __name__ == "__main__":
    main(prog_name="rating")
