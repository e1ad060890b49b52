"""Requests and connections: limits, authentication, events, errors, the server."""
