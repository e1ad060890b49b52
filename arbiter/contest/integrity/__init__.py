"""Integrity checks (soft play, identical play, copied sources): questions with evidence, without effect."""
