"""Ratings from pairwise results (`bayeselo`), and their intervals (`intervals`)."""
