"""A match as a reader sees it: frames, replays, sheets, pictures, reviews, files."""
