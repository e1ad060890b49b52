"""People and what they send: submissions, requests, coding agents, webhooks, integrity.

It imports `trials` and what is below it. Never in it: a template, a page.
"""
