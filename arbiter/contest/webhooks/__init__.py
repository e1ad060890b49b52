"""Webhooks: what happens in a season, sent to the addresses that its file names."""
