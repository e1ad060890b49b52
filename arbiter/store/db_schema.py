"""The tables of the store, and the schema's version.

`migrations` adds the tables and columns that an older store lacks. So a new column is nullable or has a
server default, none is renamed or removed, and every change raises `HEAD`.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

HEAD = "0026"
"""The version of the schema; later ones are larger."""

Name = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
"""Text in code-point order, independent of the server's locale."""

LongName = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""The same, of any length."""

metadata = sa.MetaData()

version = sa.Table(
    # The name that Alembic gave it in earlier versions.
    "alembic_version",
    metadata,
    sa.Column("version_num", sa.String(32), primary_key=True),
)

seasons = sa.Table(
    "seasons",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", Name, nullable=False, unique=True),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("seed", sa.Text, nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    # When a stop was requested; null once it has stopped.
    sa.Column("stop_asked", sa.String(32)),
    # Counts the changes on which the next plan or rating depends.
    sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
    # The number of its last public event.
    sa.Column("events", sa.Integer, nullable=False, server_default="0"),
    # The season file that it is played from.
    sa.Column("file", sa.Text),
    # How many rounds may be played although the seed was published; null while it is secret.
    sa.Column("seed_told", sa.Integer),
    # When it was paused, and when it was closed: then no round is planned and no program accepted.
    sa.Column("paused", sa.String(32)),
    sa.Column("closed", sa.String(32)),
)


def _of_season(name: str, *parts: SchemaItem, with_rowid: bool = True) -> sa.Table:
    """Return a table of rows of seasons; `season_id` is part of the primary key."""
    season = sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True)
    return sa.Table(name, metadata, season, *parts, sqlite_with_rowid=with_rowid)


configs = _of_season(
    "configs",
    sa.Column("digest", sa.String(64), primary_key=True),
    # What the digest covers, as JSON.
    sa.Column("settings", sa.Text, nullable=False),
)

rounds = _of_season(
    "rounds",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False, server_default=""),
    sa.Column("tables", sa.Text, nullable=False),
    sa.Column("complete", sa.Boolean, nullable=False),
    # The SHA-256 of the files that each player's command names, as JSON; null if not computed.
    sa.Column("programs", sa.Text),
    # When it was planned; null if not recorded.
    sa.Column("planned", sa.String(32)),
)

matches = _of_season(
    "matches",
    sa.Column("id", Name, primary_key=True),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("wall_ns", sa.BigInteger, nullable=False, server_default="0"),
    # What ratings and lists need, as JSON; the whole record as compressed JSON.
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("record", sa.LargeBinary, nullable=False),
    sa.Index("matches_by_round", "season_id", "round"),
)

ratings = _of_season(
    "ratings",
    sa.Column("round", sa.Integer, primary_key=True),
    # The standings after the round, in the command's JSON.
    sa.Column("standings", sa.Text, nullable=False),
    # The ratings alone, packed by `rating_briefs`; null if not packed.
    sa.Column("brief", sa.LargeBinary),
)

rankings = _of_season(
    # The uncertainty of the last round's ratings, packed by `rating`.
    "rankings",
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("ranking", sa.LargeBinary, nullable=False),
)

seats = _of_season(
    # Who sat in which match, and whether that player's fault ended it.
    "seats",
    # JSON-escaped: a name may be any text.
    sa.Column("player", LongName, primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, primary_key=True),
    sa.Column("faulty", sa.Boolean, nullable=False),
    with_rowid=False,
)

tags = _of_season(
    # The tags that bots noted, by match.
    "tags",
    # JSON-escaped, like the player.
    sa.Column("tag", LongName, primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("player", LongName, nullable=False),
    # Whether it is public once the round is complete.
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Index("tags_by_match", "season_id", "match_id"),
    with_rowid=False,
)

reviews = _of_season(
    # A program's review of the decisions of a match: one for each match, the latest.
    "reviews",
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, primary_key=True),
    # The program's name, JSON-escaped; the SHA-256 of its files and command; its time for the match.
    sa.Column("program", LongName, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("budget_ms", sa.BigInteger, nullable=False),
    # Sums by seat as JSON; the whole review, packed.
    sa.Column("brief", sa.Text, nullable=False),
    sa.Column("review", sa.LargeBinary, nullable=False),
    with_rowid=False,
)

outlays = _of_season(
    # The tokens that language models used in plays that are not stored.
    "outlays",
    # JSON-escaped.
    sa.Column("player", LongName, primary_key=True),
    sa.Column("input", sa.BigInteger, nullable=False),
    sa.Column("output", sa.BigInteger, nullable=False),
    with_rowid=False,
)

voids = _of_season(
    # Void plays: the match, and as JSON the reason and the players.
    "voids",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("players", sa.Text, nullable=False),
    with_rowid=False,
)

outages = _of_season(
    # Questions to language models that had no answer, by which a match was void, as JSON.
    "outages",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    with_rowid=False,
)

questions = _of_season(
    # The last integrity report, as JSON.
    "questions",
    sa.Column("report", sa.Text, nullable=False),
)


def _orders(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """Return a table of orders, with the numbers of planned and complete rounds at the time."""
    return _of_season(
        name,
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("verb", sa.String(16), nullable=False),
        sa.Column("because", sa.Text, nullable=False),
        sa.Column("moment", sa.String(32), nullable=False),
        sa.Column("planned", sa.Integer, nullable=False),
        sa.Column("complete", sa.Integer, nullable=False),
        *columns,
    )


annulments = _orders(
    "annulments",
    sa.Column("match_id", Name, nullable=False),
    # The replaced match, where it was played again.
    sa.Column("wall_ns", sa.BigInteger),
    sa.Column("summary", sa.Text),
    sa.Column("record", sa.LargeBinary),
    # Of a match played again the SHA-256 of its players' files, as in rounds; else null.
    sa.Column("programs", sa.Text),
)

suspensions = _orders("suspensions", sa.Column("player", sa.Text, nullable=False))

events = _of_season(
    # The event log.
    "events",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    # A match's id, a request's or submission's, or a word.
    sa.Column("subject", sa.String(64), nullable=False),
    # Its number among the public events; null if it is not public.
    sa.Column("shown", sa.Integer),
    # When it was stored; null if not recorded.
    sa.Column("moment", sa.String(32)),
    # Further details as JSON, or null.
    sa.Column("detail", sa.Text),
)

deliveries = _of_season(
    # The delivery state of each webhook.
    "deliveries",
    # The SHA-256 of its address, which may be a secret.
    sa.Column("webhook", sa.String(64), primary_key=True),
    # The number of the last event processed, and of the last one sent early, past events held back.
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("ahead", sa.Integer, nullable=False, server_default="0"),
    # The delivery in progress: the event's number and kind, the delivery's id and body; null if none.
    # It is early if events before it are held back.
    sa.Column("number", sa.Integer),
    sa.Column("early", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("kind", sa.String(16)),
    sa.Column("delivery", sa.String(64)),
    sa.Column("body", sa.Text),
    # Its failed attempts, the times of the first and of the next attempt, the last problem.
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("since", sa.String(32)),
    sa.Column("again", sa.String(32)),
    sa.Column("problem", sa.Text),
    # How many were delivered, and how many dropped.
    sa.Column("told", sa.Integer, nullable=False, server_default="0"),
    sa.Column("dropped", sa.Integer, nullable=False, server_default="0"),
    # When the receiver answered that it is gone.
    sa.Column("ended", sa.String(32)),
    with_rowid=False,
)

authors = _of_season(
    # Authors and organisers.
    "authors",
    sa.Column("name", Name, primary_key=True),
    # The name with look-alike characters folded: no two look alike.
    sa.Column("looks", sa.Text, nullable=False),
    # The SHA-256 of the token; null once revoked.
    sa.Column("token", sa.String(64), unique=True),
    sa.Column("organiser", sa.Boolean, nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    # The number of versions, and the active one, or null.
    sa.Column("versions", sa.Integer, nullable=False, server_default="0"),
    sa.Column("active", sa.Integer),
    sa.UniqueConstraint("season_id", "looks"),
)

invitations = _of_season(
    # Codes with which people become authors, or join a player.
    "invitations",
    # The SHA-256 of the code.
    sa.Column("code", sa.String(64), primary_key=True),
    # Uses left.
    sa.Column("uses", sa.Integer, nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    # The player to join; null if each use makes a new author.
    sa.Column("player", Name),
    # When it expires; null if never.
    sa.Column("ends", sa.String(32)),
)

members = _of_season(
    # The people of a player other than the first one, who is the author.
    "members",
    sa.Column("player", Name, primary_key=True),
    sa.Column("name", Name, primary_key=True),
    # As of authors, within the player.
    sa.Column("looks", sa.Text, nullable=False),
    # The SHA-256 of the token.
    sa.Column("token", sa.String(64), nullable=False, unique=True),
    sa.Column("created", sa.String(32), nullable=False),
    sa.UniqueConstraint("season_id", "player", "looks"),
)

sessions = sa.Table(
    # Logins: a session ends with the token that it was started with.
    "sessions",
    metadata,
    # The SHA-256 of the cookie's value.
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("token", sa.String(64), nullable=False),
    sa.Column("ends", sa.String(32), nullable=False),
)

submissions = sa.Table(
    # The programs that authors sent, each an immutable version.
    "submissions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), nullable=False),
    sa.Column("author", Name, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    # Of the archive as it was sent.
    sa.Column("sha256", sa.String(64), nullable=False),
    # Its name in the folder of all archives.
    sa.Column("file", sa.String(64), nullable=False),
    sa.Column("received", sa.String(32), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    # How often its inspection failed through no fault of the program.
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    # The steps of the inspection, and the program to start if accepted, as JSON.
    sa.Column("steps", sa.Text, nullable=False),
    sa.Column("program", sa.Text),
    sa.Column("joins_round", sa.Integer),
    # The disk space of its files; null if not measured.
    sa.Column("bytes", sa.BigInteger),
    # When its inspection ended, and a digest of the machine and terms it was made with.
    sa.Column("judged", sa.String(32)),
    sa.Column("under", sa.String(64)),
    sa.UniqueConstraint("season_id", "author", "version"),
    sa.UniqueConstraint("season_id", "author", "sha256"),
    sa.Index("submissions_by_state", "season_id", "state"),
)

requests = sa.Table(
    # The matches that authors ask for; these are in a separate store.
    "requests",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), nullable=False),
    sa.Column("author", Name, nullable=False),
    # The name of their season in that store, which stays when this row is copied.
    sa.Column("place", Name, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    # Players and deals, as JSON.
    sa.Column("wish", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("received", sa.String(32), nullable=False),
    sa.Column("ended", sa.String(32)),
    # Matches played, their maximum, and their time.
    sa.Column("played", sa.Integer, nullable=False, server_default="0"),
    sa.Column("most", sa.Integer, nullable=False),
    sa.Column("spent_ms", sa.BigInteger, nullable=False, server_default="0"),
    # The outcome so far, as JSON; why it was refused.
    sa.Column("outcome", sa.Text),
    sa.Column("problem", sa.Text),
    sa.Index("requests_by_state", "season_id", "state"),
    sa.Index("requests_by_author", "season_id", "author", "received"),
)

announcements = _of_season(
    # Texts of organisers for everyone.
    "announcements",
    sa.Column("number", sa.Integer, primary_key=True),
    # From when on it is visible.
    sa.Column("moment", sa.String(32), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    # The question that it answers, or null.
    sa.Column("question", sa.Text),
    # Whether its event is logged.
    sa.Column("published", sa.Boolean, nullable=False),
    # When its text was last changed, and when it was withdrawn.
    sa.Column("corrected", sa.String(32)),
    sa.Column("withdrawn", sa.String(32)),
)

clarifications = _of_season(
    # Questions of authors to the organiser, and the answers.
    "clarifications",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("author", Name, nullable=False),
    sa.Column("asked", sa.String(32), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    # Null until it is answered; a public answer is announced.
    sa.Column("answer", sa.Text),
    sa.Column("answered", sa.String(32)),
    sa.Column("public", sa.Boolean, nullable=False),
    # The number of the announcement of a public answer.
    sa.Column("announcement", sa.Integer),
    # When the answer was last changed, and when an earlier one was withdrawn.
    sa.Column("corrected", sa.String(32)),
    sa.Column("withdrawn", sa.String(32)),
)

served = _of_season(
    # The time spent on an author's requests and inspections, by day.
    "served",
    sa.Column("author", Name, primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("ms", sa.BigInteger, nullable=False),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), nullable=False),
    sa.Column("moment", sa.String(32), nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("verb", sa.String(16), nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("because", sa.Text, nullable=False),
    sa.Index("audit_by_season", "season_id"),
)
