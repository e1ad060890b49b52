"""Templates, charts, static files and their compression."""
