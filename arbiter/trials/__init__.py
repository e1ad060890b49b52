"""A bot, a game or the machine put to the test."""
