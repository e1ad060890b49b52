from tests.contest.requests.asked import asked, open_season

__all__ = ["asked", "open_season"]
