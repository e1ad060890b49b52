"""A season: planned, played, rated, checked; whole or in slices."""
