"""Sequential tests (`gsprt`)."""
