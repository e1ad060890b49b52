"""Read PGN line by line: the tags of each game and the end of its moves.

Two rules of the standard make the end of a truncated game ambiguous: a comment may contain anything, and tags
without moves between them may belong to one game or two. So tags in an open comment, and repeated tags, are
kept separately until they are the whole header of the next game, or turn out not to be one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rating.errors import MalformedGame
from rating.reading.gathering import OUTCOMES

TAGS = ("White", "Black", "Result", "Round", "Table", "Event", "MatchId")
"""The tags that are read, in the order of GameColumns."""
ENDS = {"1-0", "0-1", "1/2-1/2", "*"}

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NAME = re.compile(r"\s*\[\s*([^\W\d][^\s\"\[\]]*)\s")
_QUOTED = re.compile(r'\s*\[\s*\w+\s+"(.*)"\s*\]\s*$')
# A tag, whole or broken, that is the last on its line.
_ALONE = re.compile(r'\s*\[\s*[^\W\d]\w*\s+".*\]\s*$')
_TAG_OPENS = re.compile(r'\[\s*[^\W\d]\w*\s+"')
# The end of moves within a line.
_MARK = re.compile(rf"[{{;]|{_TAG_OPENS.pattern}")
# A truncated tag: its name or the start of it, and the rest.
_TORN = re.compile(r"\s*\[\s*(\w*)([^\]]*)$")
_CLOSED = re.compile(r"\{[^}]*\}")
_BLANK = re.compile(r"\s*")
_ESCAPED = re.compile(r"\\(.)")
_NEEDED = {"White", "Black", "Result"}


def _find_tags_at_end(line: str, at: int) -> int:
    """Return where the tags begin that end a line, from `at` on; -1 without any."""
    while found := _TAG_OPENS.search(line, at):
        start = at = found.start()
        while tag := _TAG.match(line, at):
            at = tag.end()
        if at > start and _BLANK.fullmatch(line, at):
            return start
        at = max(at, found.end())
    return -1


class PgnGame:
    """A game as far as it is read; lines count from 1, 0 means none yet."""

    __slots__ = ("bad", "bounded", "end", "file", "first", "moves", "tags")

    def __init__(self, file: str, bounded: bool = False) -> None:
        self.file = file
        self.bounded = bounded  # its tags follow an empty line, a broken tag or, in a comment, text
        self.first = 0
        self.tags: dict[str, tuple[str, int]] = {}
        self.moves = False
        self.end: tuple[str, int] | None = None
        self.bad: MalformedGame | None = None

    def is_whole(self) -> bool:
        """True once the tags White, Black and Result are there, with any values; moves do not matter."""
        return self.tags.keys() >= _NEEDED

    def add_tag(self, name: str, value: str, number: int) -> None:
        """Add a tag; a second one of a name in `TAGS` is a fault, of other names ignored."""
        self.first = self.first or number
        if name not in self.tags:
            self.tags[name] = (value, number)
        elif name in TAGS:
            self.note_fault(number, f"the game has two tags {name}: remove one")

    def forget_first_line(self) -> None:
        """Drop the tags on the game's first line; the game begins with the next tag."""
        self.tags = {name: at for name, at in self.tags.items() if at[1] > self.first}
        self.first, self.bounded = 0, False

    def note_fault(self, number: int, text: str) -> None:
        """Keep the game's first fault; ignore later ones."""
        if self.bad is None:
            self.bad = MalformedGame(self.file, number, text)

    def tag_value(self, name: str) -> str:
        """Return a tag's value unescaped and stripped, an Event's also of "?"; empty without the tag."""
        value = self.tags.get(name, ("", 0))[0]
        value = (_ESCAPED.sub(r"\1", value) if "\\" in value else value).strip()
        return value.strip("?") if name == "Event" else value

    def find_problem(self) -> MalformedGame | None:
        """Return the fault noted, or else a fault of tags, result and moves; None for a good game."""
        if self.bad is not None:
            return self.bad
        for name in ("White", "Black", "Result"):
            if not self.tag_value(name):
                line = self.tags.get(name, ("", self.first))[1]
                return MalformedGame(self.file, line, f"the game has no {name}")
        result, line = self.tag_value("Result"), self.tags["Result"][1]
        if result == "*":
            return MalformedGame(self.file, line, "the game is not finished: its result is *")
        if result not in OUTCOMES:
            return MalformedGame(self.file, line, f"expected 1-0, 0-1 or 1/2-1/2, got {result!r}")
        if self.tag_value("White") == self.tag_value("Black"):
            return MalformedGame(self.file, self.first, f"{self.tag_value('White')} plays against itself")
        if self.end and self.end[0] != "*" and OUTCOMES[self.end[0]] != OUTCOMES[result]:
            return MalformedGame(
                self.file, self.end[1], f"the moves end in {self.end[0]}, but the tag Result is {result}"
            )
        return None


class PgnLines:
    """Reads lines and calls `take` with each finished game, including malformed ones."""

    def __init__(self, file: str, take: Callable[[PgnGame], None]) -> None:
        self._file, self._take = file, take
        self._comment = 0  # the line where an open comment begins
        self._begin()

    def _begin(self) -> None:
        """Start a new game, before its first line."""
        self._game = PgnGame(self._file)
        self._next: PgnGame | None = None  # tags of the next game, if they turn out to be whole
        self._gap = False  # an empty line or a broken tag came after the last tag
        self._torn: re.Match[str] | None = None  # the truncated tag after the last tag
        self._sure = False  # the next tag is the next game's

    def finish(self) -> None:
        """End the last game after all lines; an open comment is a fault."""
        if self._comment:
            self._next = None
            self._end_open_comment()
        self._assign_next()
        self.end_game()

    def end_game(self) -> None:
        """Call `take` with the game, unless it is empty, and begin the next."""
        game = self._game
        self._begin()
        if game.first:
            self._take(game)

    def is_apart(self, first: str) -> bool:
        """True if a whole game whose first tag is `first` can only be the next one."""
        game = self._game
        if self._comment or self._next is not None:
            return False
        return not game.first or game.moves or (game.is_whole() and first == next(iter(game.tags)))

    def read_line(self, number: int, line: str) -> None:
        """Read a line as the state demands: in a comment, skipped (%), tags, an empty line, or moves."""
        at = 0
        if self._comment:
            at = self._read_in_comment(number, line, 0)
        elif line.startswith("%"):
            return
        elif line.lstrip().startswith("["):
            at = self._read_tags(number, line, 0)
        elif line.isspace():
            self._gap = self._gap or (self._game.first > 0 and not self._game.moves)
            return
        if at < len(line):
            self._read_text(number, line, at)

    def _read_text(self, number: int, line: str, at: int) -> None:
        """Read moves, comments, and tags that follow them on their line."""
        if ";" not in line:
            rest = _CLOSED.sub(" ", line[at:])
            if "{" not in rest and "[" not in rest:
                self._read_moves(number, rest.split())
                return
        words: list[str] = []
        while found := _MARK.search(line, at):
            words += line[at : found.start()].split()
            at = found.end()
            if found[0] == ";":
                self._read_moves(number, words)
                return
            if found[0] == "{":
                closed = line.find("}", at)
                if closed >= 0:
                    at = closed + 1
                    continue
            self._read_moves(number, words)
            words = []
            if found[0] == "{":
                self._assign_next()
                self._comment = number
                at = self._read_in_comment(number, line, at)
            else:
                at = self._read_tags(number, line, found.start())
        self._read_moves(number, words + line[at:].split())

    def _read_in_comment(self, number: int, line: str, at: int) -> int:
        """Read a line of an open comment; return where the text after the comment begins.

        Lines of tags may be the next game's: see `_assign_next`.
        """
        tags = _find_tags_at_end(line, at) if "[" in line else -1
        if tags < 0 and _ALONE.match(line, at):
            tags = at
        closed = line.find("}", at)
        if tags >= 0 and not at <= closed < tags:
            behind_text = not _BLANK.fullmatch(line, at, tags)
            if self._next is None or behind_text:
                self._next = PgnGame(self._file, behind_text)
            return self._read_tags(number, line, tags)
        if closed >= 0:
            self._comment = 0
        if closed >= 0 or not _BLANK.fullmatch(line, at):
            self._next = None
        return closed + 1 or len(line)

    def _end_open_comment(self) -> None:
        """Note the fault of a comment that is never closed, and leave the comment."""
        self._game.first = self._game.first or self._comment
        self._game.note_fault(self._comment, "this comment is never closed")
        self._comment = 0

    def _read_tags(self, number: int, line: str, at: int) -> int:
        """Read the tags from `at` on; return where they end."""
        if self._game.moves and not self._comment:
            self.end_game()
        while found := _TAG.match(line, at):
            name, value = found.groups()
            self._add_tag(name, value, number)
            at = found.end()
        if line[at:].lstrip().startswith("["):
            return self._read_broken_tag(number, line, at)
        return at

    def _add_tag(self, name: str, value: str, number: int) -> None:
        """Add a tag to this game or, if it cannot be this one's, to the next."""
        if self._next is None and not self._gap and name not in self._game.tags:
            self._game.add_tag(name, value, number)
            return
        if self._next is not None and self._starts_over(name, self._next) and self._is_apart():
            self._take_next()
        if self._next is None and self._starts_over(name, self._game):
            self._next = PgnGame(self._file, self._gap)
        self._gap, self._torn = False, None
        if self._comment and self._next is not None and name in self._next.tags and self._next.bounded:
            # The tags after text were part of the text.
            self._next.forget_first_line()
        (self._next or self._game).add_tag(name, value, number)
        if self._next is not None and self._next.is_whole():
            self._assign_next()

    def _starts_over(self, name: str, game: PgnGame) -> bool:
        """True if a tag may begin the game after `game`, without moves between; may set `_sure`."""
        if self._comment:
            return False
        if self._torn is not None:
            word, more = self._torn.groups()
            self._sure = self._sure or (name == word if more.strip() else name.startswith(word))
        return self._sure or self._gap or name == next(iter(game.tags), "")

    def _is_apart(self) -> bool:
        """True if the tags of `_next` belong to another game than those before them."""
        game, new = self._game, self._next
        if new is None:
            return False
        again = game.tags.keys() & new.tags.keys()
        if not new.is_whole():
            # The next game is truncated, too.
            first = next(iter(new.tags)) == next(iter(game.tags), "")
            return new.bounded and game.is_whole() and first and not again.isdisjoint(TAGS)
        if self._comment or self._sure:
            return True
        whole = game.is_whole() or new.bounded or (len(game.tags) > 1 and len(again) == len(game.tags))
        return whole and bool(again)

    def _take_next(self) -> None:
        """End this game and continue with `_next`."""
        new = self._next
        if self._comment:
            self._end_open_comment()
        self.end_game()
        if new is not None:
            self._game = new

    def _assign_next(self) -> None:
        """Assign the tags of `_next` to the next game if they belong to it, else to this one."""
        if self._is_apart():
            self._take_next()
        elif self._next is not None:
            for name, (value, line) in self._next.tags.items():
                self._game.add_tag(name, value, line)
            self._game.bad = self._game.bad or self._next.bad
            self._next, self._sure = None, False

    def _read_broken_tag(self, number: int, line: str, at: int) -> int:
        """Read a broken tag and return where the rest of the line begins; a fault if the tag is needed."""
        named = _NAME.match(line, at)
        name = named.group(1) if named else ""
        follows = _find_tags_at_end(line, line.index("[", at) + 1)
        if follows < 0 and name == "Event" and (whole := _QUOTED.match(line, at)):
            # Unescaped quotes; the value still distinguishes events.
            self._add_tag(name, whole.group(1), number)
            return len(line)
        game = self._next or self._game
        game.first = game.first or number
        self._gap, self._torn = True, _TORN.match(line, at)
        if not name or name in TAGS or (self._torn is not None and not self._torn[2].strip()):
            game.note_fault(number, f'expected a tag such as [Name "value"], got {line[at:].strip()[:40]!r}')
        if follows >= 0:
            # It is truncated, and the next game follows it on the line.
            self._assign_next()
            self._sure = True
        return follows if follows >= 0 else len(line)

    def _read_moves(self, number: int, words: list[str]) -> None:
        """Read moves, perhaps with the result at their end; a fault without tags, or after a result."""
        if not words:
            return
        self._assign_next()
        game = self._game
        game.first = game.first or number
        game.moves = True
        if not game.tags:
            game.note_fault(number, "moves without tags: a game starts with [White], [Black] and [Result]")
        if game.end:
            game.note_fault(number, "moves after the result: the next game has no tags")
        if words[-1] in ENDS:
            game.end = (words[-1], number)
