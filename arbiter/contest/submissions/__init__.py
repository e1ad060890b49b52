"""Programs that authors send: who may, what they sent, what was found of it."""
