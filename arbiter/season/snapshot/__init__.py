"""A season at one moment for one reader: what every face shows of it."""
