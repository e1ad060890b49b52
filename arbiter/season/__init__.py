"""A season: planned, played, rated, checked."""
