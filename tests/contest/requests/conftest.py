from tests.contest.requests.asked import asked, asked_openly

__all__ = ["asked", "asked_openly"]
