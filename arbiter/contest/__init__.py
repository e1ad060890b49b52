"""The contest around a season: submissions, requests, messages, coding agents, webhooks, integrity.

It imports `trials` and the layers below, and contains no template or page.
"""
