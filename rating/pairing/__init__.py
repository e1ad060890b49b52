"""The pairing of the next round (`rounds`)."""
