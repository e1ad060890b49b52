"""The tables of the store, and the schema's version.

What a store of an earlier version lacks of the tables and columns here is added (`migrations`). So a new
column may be null or has a server's default, none is renamed or removed, and any change raises `HEAD`.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

HEAD = "0022"
"""The version of the schema; later ones are larger."""

Name = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
"""Text in the order of its characters, whatever the language of a server's other texts."""

LongName = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""The same of any length."""

metadata = sa.MetaData()

version = sa.Table(
    # By the name that Alembic gave it in stores of earlier versions.
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
    # When somebody asked that it stop; null once it did.
    sa.Column("stop_asked", sa.String(32)),
    # Counts the changes on which the next plan or rating depends.
    sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
    # The number of its last event that all may hear of.
    sa.Column("events", sa.Integer, nullable=False, server_default="0"),
    # The file that it is played from.
    sa.Column("file", sa.Text),
    # How many rounds may be played although the seed was published; null while it is secret.
    sa.Column("seed_told", sa.Integer),
    # When an organiser paused it, and when it was closed: nothing is planned, and nothing sent, after that.
    sa.Column("paused", sa.String(32)),
    sa.Column("closed", sa.String(32)),
)


def _of_season(name: str, *parts: SchemaItem, with_rowid: bool = True) -> sa.Table:
    """A table whose rows are a season's, by which and by further columns each is known."""
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
    # The SHA-256 of the files that each player's command names, as JSON; null where it was not taken.
    sa.Column("programs", sa.Text),
    # When it was planned; null where that was not kept.
    sa.Column("planned", sa.String(32)),
)

matches = _of_season(
    "matches",
    sa.Column("id", Name, primary_key=True),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("wall_ns", sa.BigInteger, nullable=False, server_default="0"),
    # What ratings and lists need, as JSON; then the whole record as JSON, compressed.
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("record", sa.LargeBinary, nullable=False),
    sa.Index("matches_by_round", "season_id", "round"),
)

ratings = _of_season(
    "ratings",
    sa.Column("round", sa.Integer, primary_key=True),
    # The standings after the round as JSON, as the command prints them.
    sa.Column("standings", sa.Text, nullable=False),
    # The ratings alone, as `rating_briefs` packs them; null where that was not done.
    sa.Column("brief", sa.LargeBinary),
)

rankings = _of_season(
    # How sure the last round's ratings are, as `rating` packs it.
    "rankings",
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("ranking", sa.LargeBinary, nullable=False),
)

seats = _of_season(
    # Who sat in which match, and whether its own fault ended it.
    "seats",
    # As JSON writes it: a name may be any text.
    sa.Column("player", LongName, primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, primary_key=True),
    sa.Column("faulty", sa.Boolean, nullable=False),
    with_rowid=False,
)

tags = _of_season(
    # Which bot noted which word in which match.
    "tags",
    # As JSON writes it, and so is the player.
    sa.Column("tag", LongName, primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("player", LongName, nullable=False),
    # Whether all may know once the round is complete.
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Index("tags_by_match", "season_id", "match_id"),
    with_rowid=False,
)

reviews = _of_season(
    # What a program found of the decisions of a match: one review each, the last.
    "reviews",
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, primary_key=True),
    # The program by its name, as JSON writes it, the SHA-256 of its files and command, and the time that it
    # was told for the match.
    sa.Column("program", LongName, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("budget_ms", sa.BigInteger, nullable=False),
    # Sums by seat, as JSON, and all of it, packed.
    sa.Column("brief", sa.Text, nullable=False),
    sa.Column("review", sa.LargeBinary, nullable=False),
    with_rowid=False,
)

outlays = _of_season(
    # The tokens of language models in plays of which nothing else is kept.
    "outlays",
    # As JSON writes it.
    sa.Column("player", LongName, primary_key=True),
    sa.Column("input", sa.BigInteger, nullable=False),
    sa.Column("output", sa.BigInteger, nullable=False),
    with_rowid=False,
)

voids = _of_season(
    # The plays that were void: of which match, why, and who sat in it, the latter two as JSON.
    "voids",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("match_id", Name, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("players", sa.Text, nullable=False),
    with_rowid=False,
)

questions = _of_season(
    # The last report of who plays with whom, as JSON.
    "questions",
    sa.Column("report", sa.Text, nullable=False),
)


def _orders(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """A log of an organiser's orders: what, when, why, after how many planned and complete rounds."""
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
    # The match as it was before it was played again.
    sa.Column("wall_ns", sa.BigInteger),
    sa.Column("summary", sa.Text),
    sa.Column("record", sa.LargeBinary),
    # Of a match played again, the SHA-256 of its players' files, as with rounds; else null.
    sa.Column("programs", sa.Text),
)

suspensions = _orders("suspensions", sa.Column("player", sa.Text, nullable=False))

events = _of_season(
    # What happened, in the order in which it was stored, for onlookers.
    "events",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    # A match's id, a request's or submission's, or a word.
    sa.Column("subject", sa.String(64), nullable=False),
    # Its number among those that all may hear of; null where they may not.
    sa.Column("shown", sa.Integer),
    # When it was stored; null where that was not kept.
    sa.Column("moment", sa.String(32)),
    # What else there is to tell of it, as JSON; null for nothing.
    sa.Column("detail", sa.Text),
)

deliveries = _of_season(
    # How far each webhook has heard of the events.
    "deliveries",
    # The SHA-256 of its address, which may be a secret.
    sa.Column("webhook", sa.String(64), primary_key=True),
    # The number of the last event that is done with, and of the last one told before those held back.
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("ahead", sa.Integer, nullable=False, server_default="0"),
    # What is being told: the event's number and kind, the delivery's id, its whole body; null for nothing.
    # It is early where events before it are held back.
    sa.Column("number", sa.Integer),
    sa.Column("early", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("kind", sa.String(16)),
    sa.Column("delivery", sa.String(64)),
    sa.Column("body", sa.Text),
    # Its failed tries, when the first one was, when the next one is, and what went wrong last.
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    sa.Column("since", sa.String(32)),
    sa.Column("again", sa.String(32)),
    sa.Column("problem", sa.Text),
    # How many were delivered, and how many given up.
    sa.Column("told", sa.Integer, nullable=False, server_default="0"),
    sa.Column("dropped", sa.Integer, nullable=False, server_default="0"),
    # When the receiver said that it is gone for good.
    sa.Column("ended", sa.String(32)),
    with_rowid=False,
)

authors = _of_season(
    # Who may send programs, and organisers.
    "authors",
    sa.Column("name", Name, primary_key=True),
    # What a reader takes the name for: no two look alike.
    sa.Column("looks", sa.Text, nullable=False),
    # The SHA-256 of the token; null once it was revoked.
    sa.Column("token", sa.String(64), unique=True),
    sa.Column("organiser", sa.Boolean, nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    # How many versions there are, and which of them plays; null where none does.
    sa.Column("versions", sa.Integer, nullable=False, server_default="0"),
    sa.Column("active", sa.Integer),
    sa.UniqueConstraint("season_id", "looks"),
)

invitations = _of_season(
    # Codes with which somebody becomes an author, or one of a player's people.
    "invitations",
    # The SHA-256 of the code.
    sa.Column("code", sa.String(64), primary_key=True),
    # How many more may join with it.
    sa.Column("uses", sa.Integer, nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    # The player whose people they become; null where each becomes a new author.
    sa.Column("player", Name),
    # When it ends; null where it does not.
    sa.Column("ends", sa.String(32)),
)

members = _of_season(
    # The people of a player beside the first one, who is the author.
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
    # Who is logged in: a session ends with the token that it was begun with.
    "sessions",
    metadata,
    # The SHA-256 of what the cookie holds.
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("token", sa.String(64), nullable=False),
    sa.Column("ends", sa.String(32), nullable=False),
)

submissions = sa.Table(
    # The programs that authors sent, each a version that never changes.
    "submissions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), nullable=False),
    sa.Column("author", Name, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    # Of the archive as it was sent.
    sa.Column("sha256", sa.String(64), nullable=False),
    # Its name in the folder of all of them.
    sa.Column("file", sa.String(64), nullable=False),
    sa.Column("received", sa.String(32), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    # How often its inspection failed on our side.
    sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
    # What was found step by step, and what is started if it was accepted, as JSON.
    sa.Column("steps", sa.Text, nullable=False),
    sa.Column("program", sa.Text),
    sa.Column("joins_round", sa.Integer),
    # What its files take on the disk; null where nobody has counted.
    sa.Column("bytes", sa.BigInteger),
    # When its inspection ended, and a digest of the machine and the terms that it was made under.
    sa.Column("judged", sa.String(32)),
    sa.Column("under", sa.String(64)),
    sa.UniqueConstraint("season_id", "author", "version"),
    sa.UniqueConstraint("season_id", "author", "sha256"),
    sa.Index("submissions_by_state", "season_id", "state"),
)

requests = sa.Table(
    # The matches that authors ask for; they lie in a store of their own.
    "requests",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), nullable=False),
    sa.Column("author", Name, nullable=False),
    # The name that its matches have in their store, the same wherever this row is carried.
    sa.Column("place", Name, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    # Who is to meet whom, on which cards, as JSON.
    sa.Column("wish", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("received", sa.String(32), nullable=False),
    sa.Column("ended", sa.String(32)),
    # How many matches were played, of how many at most, and what they took.
    sa.Column("played", sa.Integer, nullable=False, server_default="0"),
    sa.Column("most", sa.Integer, nullable=False),
    sa.Column("spent_ms", sa.BigInteger, nullable=False, server_default="0"),
    # What came of it so far, as JSON; why it was refused.
    sa.Column("outcome", sa.Text),
    sa.Column("problem", sa.Text),
    sa.Index("requests_by_state", "season_id", "state"),
    sa.Index("requests_by_author", "season_id", "author", "received"),
)

served = _of_season(
    # How long something was played or inspected for an author on a day.
    "served",
    sa.Column("author", Name, primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("ms", sa.BigInteger, nullable=False),
)

audit = sa.Table(
    # Who did what when.
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
