"""`python -m arbiter`: the same as the `arbiter` command."""

from arbiter.cli import main

if __name__ == "__main__":
    main()
