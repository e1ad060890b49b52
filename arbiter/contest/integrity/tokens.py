"""Tokens of a source file that renaming and reformatting do not change, and their fingerprints.

All names are one token, all numbers and all strings another one each; keywords, operators and brackets are
kept. Comments, docstrings, white space and semicolons are dropped, and so are all parentheses except the
opening ones of calls, since formatters add and remove them.

Fingerprints are computed by winnowing (Schleimer, Wilkerson and Aiken, 2003): of the hashes of all runs of
`RUN` tokens the smallest of every `WINDOW` successive ones is kept. So two files with a common sequence of
`RUN + WINDOW - 1` tokens share a fingerprint, wherever it is; the order of functions does not matter.

A hostile file takes no longer than any other of its length: each family of languages has one regular
expression without backtracking. (As C, Pygments reads 16 kB of line ends in 9 s.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

Codes: TypeAlias = "NDArray[np.uint64]"

_BLANKS = r"(?P<line>\n\s*+)|[^\S\n]++"
_DOUBLE, _SINGLE, _BACK = (rf"{q}(?:[^{q}\\\n]|\\[\s\S])*+{q}?" for q in "\"'`")
_SLASHED = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_HASHED = r"(?<![$\w])\#[^\n]*+"
_TRIPLE = "|".join(rf"{q * 3}(?:[^{q}\\]|\\[\s\S]|{q}(?!{q * 2}))*+(?:{q * 3})?" for q in "\"'")
_RAW_CPP = r'R"(?P<tag>[^\s()\\"]{0,16})\((?:[^)]|\)(?!(?P=tag)"))*+(?:\)(?P=tag)")?'
_RAW_RUST = r'r(?P<hashes>\#{1,8})"(?:[^"]|"(?!(?P=hashes)))*+(?:"(?P=hashes))?'
_STARRED = r"\(\*(?:[^*]|\*(?!\)))*+(?:\*\))?"
_OVER_LINES = r"`(?:[^`\\]|\\[\s\S])*+`?"
_LONG = r"\[\[(?:[^\]]|\](?!\]))*+(?:\]\])?"
_PLAIN = r"(?P<number>\.?\d(?:[\w.]|'(?=\d))*+)|(?P<word>[^\W\d]\w*+)|(?P<sign>[\s\S])"


def _token_pattern(comments: str, texts: str) -> re.Pattern[str]:
    return re.compile(f"{_BLANKS}|(?:{comments})|(?P<text>{texts})|{_PLAIN}")


# A prefix belongs to its string; in Rust a single quote alone is a lifetime.
PYTHON = _token_pattern(_HASHED, rf"(?:\b[A-Za-z]{{1,2}})?(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})")
SLASHES = _token_pattern(_SLASHED, f"{_RAW_CPP}|{_DOUBLE}|{_SINGLE}|{_OVER_LINES}")
RUST = _token_pattern(_SLASHED, rf"{_RAW_RUST}|b?{_DOUBLE}|b?'(?:[^'\\\n]|\\[^\n]{{1,10}}?)'")
HASHES = _token_pattern(_HASHED, f"{_DOUBLE}|{_SINGLE}|{_BACK}")
PHP = _token_pattern(f"{_SLASHED}|{_HASHED}", f"{_DOUBLE}|{_SINGLE}|{_BACK}")
LUA = _token_pattern(rf"--{_LONG}|--[^\n]*+", f"{_LONG}|{_DOUBLE}|{_SINGLE}")
DASHES = _token_pattern(r"--[^\n]*+", _DOUBLE)
STARS = _token_pattern(_STARRED, _DOUBLE)
PASCAL = _token_pattern(rf"{_STARRED}|//[^\n]*+|\{{[^}}]*+\}}?", r"'[^'\n]*+'?")
FORTRAN = _token_pattern(r"![^\n]*+", f"{_DOUBLE}|{_SINGLE}")
PROLOG = _token_pattern(rf"%[^\n]*+|{_SLASHED}", f"{_DOUBLE}|{_SINGLE}")
LISP = _token_pattern(r";[^\n]*+", _DOUBLE)
READERS = {
    **dict.fromkeys((".py", ".pyw"), PYTHON),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cs", ".d", ".dart", ".go"), SLASHES),
    **dict.fromkeys((".java", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".kt", ".scala"), SLASHES),
    **dict.fromkeys((".swift", ".zig"), SLASHES),
    **dict.fromkeys((".sh", ".bash", ".rb", ".pl", ".pm", ".r", ".jl", ".nim"), HASHES),
    **dict.fromkeys((".ex", ".exs", ".tcl", ".cr"), HASHES),
    **dict.fromkeys((".hs", ".adb", ".ads"), DASHES), **dict.fromkeys((".pas", ".pp"), PASCAL),
    **dict.fromkeys((".lisp", ".cl", ".scm", ".rkt", ".clj"), LISP),
    ".ml": STARS, ".f90": FORTRAN, ".prolog": PROLOG,
    ".rs": RUST, ".php": PHP, ".lua": LUA,
}  # fmt: skip
"""By file suffix; files with other suffixes are not sources."""
WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        abstract alignas and as assert async auto await break case catch class const constexpr continue
        crate def default defer del delete do done echo elif else elsif end enum esac except export
        extends extern false fi final finally fn for foreach from func function global go goto if impl
        implements import in inline instanceof interface is lambda let mod mut my namespace new next
        nonlocal not or override package pass private protected pub public raise return sizeof static
        struct sub switch template then throw throws trait true try typedef typename typeof union unless
        until use using var virtual volatile when where while with xor yield True False
        """,
    )
)
"""Keywords of all families together: one that is a name in another language does little harm."""
NAME, NUMBER, TEXT = 1, 2, 3
MOST_TOKENS = 100_000
"""The most tokens of a file; the rest is ignored."""
RUN, WINDOW = 18, 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
NONE = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a file in order: codes, and lines from 1, each of shape (tokens,)."""

    codes: Codes
    lines: NDArray[np.int64]


class _Spot(NamedTuple):
    code: int
    at: int


def is_source(name: str) -> bool:
    """Return True for a file with a source suffix."""
    return PurePath(name).suffix.lower() in READERS


def tokens_of(name: str, text: str) -> Tokens:
    """Return the tokens of a source file, at most `MOST_TOKENS`."""
    spots = _scan_tokens(READERS[PurePath(name).suffix.lower()], text)
    ends = np.fromiter((found.start() for found in re.finditer("\n", text)), np.int64)
    codes = np.array([spot.code for spot in spots], np.uint64)
    places = np.array([spot.at for spot in spots], np.int64)
    return Tokens(codes, np.searchsorted(ends, places) + 1)


def _scan_tokens(reader: re.Pattern[str], text: str) -> list[_Spot]:
    """Return the tokens that are kept, each with its place in the text, at most `MOST_TOKENS`."""
    spots: list[_Spot] = []
    starts, depth = True, 0
    for found in reader.finditer(text):
        kind = found.lastgroup
        if kind is None:
            continue
        if kind == "line":
            starts = True
            continue
        code = _token_code(found, kind)
        if kind == "sign":
            depth = max(0, depth + (found[0] in "([{") - (found[0] in ")]}"))
        alone = code == TEXT and starts and not depth and text[found.end() : found.end() + 1] in ("\n", "")
        starts = False
        last = spots[-1].code if spots else None
        # Formatters split strings, and add a comma before a closing bracket.
        if found[0] in (")", "]", "}") and last == _word_code(","):
            spots.pop()
        if alone or code == TEXT == last or found[0] in (";", ")") or (found[0] == "(" and last != NAME):
            continue
        spots.append(_Spot(code, found.start()))
        if len(spots) == MOST_TOKENS:
            break
    return spots


def _token_code(found: re.Match[Any], kind: str) -> int:
    """Return the code of a keyword or sign, else NAME, NUMBER or TEXT."""
    if kind == "word":
        return _word_code(found[0]) if found[0] in WORDS else NAME
    if kind == "number":
        return NUMBER
    return _word_code(found[0]) if kind == "sign" else TEXT


@lru_cache(maxsize=1024)
def _word_code(word: str) -> int:
    """Return a code of a word by its CRC, above NAME, NUMBER and TEXT."""
    return crc32(word.encode("utf-8", "replace")) + TEXT + 1


def runs(codes: Codes) -> Codes:
    """Return the hashes of all runs of `RUN` tokens, shape (tokens - RUN + 1,); empty for fewer tokens."""
    count = len(codes) - RUN + 1
    if count < 1:
        return NONE
    made = np.zeros(count, np.uint64)
    for at in range(RUN):
        made = made * _FACTOR + codes[at : at + count]
    # Low bits of a product depend only on low bits of its factors, and the minimum is chosen by high bits.
    return (made ^ (made >> np.uint64(29))) * _FACTOR


def fingerprints(codes: Codes) -> Codes:
    """Return the distinct fingerprints of a file's tokens."""
    hashes = runs(codes)
    if len(hashes) <= WINDOW:
        return np.unique(hashes)
    return np.unique(sliding_window_view(hashes, WINDOW).min(axis=1))


def union(parts: Iterable[Codes]) -> Codes:
    """Return the distinct codes of all parts, sorted."""
    return np.unique(np.concatenate([NONE, *parts]))
