"""Files of results: PGN, CSV and match records (`files`)."""
