"""Tests that stop as soon as the answer is sure (`gsprt`)."""
