"""Webhooks: the events of a season, sent to the addresses in its file."""
