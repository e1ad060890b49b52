"""A bot's regression suite: named checks of one bot, under the rules and limits of a tournament."""
