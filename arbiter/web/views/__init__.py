"""Figures and texts of a season as pages and their JSON."""
