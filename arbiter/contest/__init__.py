"""People and what they send: programs, requests, agents; integrity and webhooks."""
