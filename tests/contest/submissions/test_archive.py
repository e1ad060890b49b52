"""Archives are unpacked whole, or refused with a reason: nothing else comes of them."""

from __future__ import annotations

import io
import struct
import zipfile
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.contest.submissions.archive import DEEPEST, MOST_FILES, MOST_MARKS, unpack
from arbiter.contest.submissions.inspection_steps import Refused
from tests.contest.submissions.archives import MODE, Made, archive_of, packed, wide_end
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LIMIT = 100_000
FULL = 0xFFFF_FFFF


def unpacked(folder: Path, content: bytes, max_size: int = LIMIT) -> dict[str, bytes]:
    """The files of an archive by their names, folders left out."""
    (folder / "sent.zip").write_bytes(content)
    unpack(folder / "sent.zip", folder / "source", max_size)
    return files_in(folder / "source")


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_come_out_as_they_were_packed(tmp_path: Path) -> None:
    files = {"bot.py": b"print()", "data/weights.bin": bytes(range(256)) * 300, "empty": b""}
    assert unpacked(tmp_path, packed(files)) == files  # type: ignore[arg-type]


def test_one_folder_that_holds_all_is_left_out(tmp_path: Path) -> None:
    sent = packed(
        {"mine/bot.py": "1", "mine/data/x": "2", "__MACOSX/mine/._bot.py": "3", "mine/.DS_Store": "4"}
    )
    assert set(unpacked(tmp_path, sent)) == {"bot.py", "data/x"}


def test_only_the_right_to_be_executed_is_kept(tmp_path: Path) -> None:
    unpacked(tmp_path, archive_of(Made("run", mode=0o106777), Made("read", mode=0o102666)))
    assert (tmp_path / "source" / "run").stat().st_mode == 0o100755
    assert (tmp_path / "source" / "read").stat().st_mode == 0o100644


def test_files_beyond_an_authors_share_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "sent.zip").write_bytes(packed({"bot.py": "12345", "data": "678"}))
    with pytest.raises(Refused, match="its files have 8 bytes; 7 of the limit for all your versions are"):
        unpack(tmp_path / "sent.zip", tmp_path / "source", LIMIT, room=7)
    assert not (tmp_path / "source").exists()
    assert unpack(tmp_path / "sent.zip", tmp_path / "source", LIMIT, room=8) == 2


def test_sizes_may_follow_the_data(tmp_path: Path) -> None:
    made = io.BytesIO()
    made.seekable = lambda: False  # type: ignore[method-assign]
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", "print()")
        archive.writestr("other.py", "")
    assert unpacked(tmp_path, made.getvalue()) == {"bot.py": b"print()", "other.py": b""}


def test_sizes_of_64_bits_are_read(tmp_path: Path) -> None:
    one = Made(content=b"x" * 500)
    numbers = one.numbers()
    one.extra = one.local_extra = struct.pack("<2H2Q", 1, 16, numbers["size"], numbers["packed"])
    one.central = one.local = {"size": FULL, "packed": FULL}
    begin = len(one.local_part())
    length = len(one.central_part(0))
    sent = archive_of(
        one, count=0xFFFF, length=FULL, begin=FULL, wide=wide_end(1, length, begin, begin + length)
    )
    assert unpacked(tmp_path, sent) == {"bot.py": b"x" * 500}


def test_a_link_that_only_an_extra_field_tells_of_is_a_file(tmp_path: Path) -> None:
    link = b"\0" * 12 + b"/etc/passwd"
    sent = archive_of(Made(extra=struct.pack("<2H", 0x0D, len(link)) + link))
    assert unpacked(tmp_path, sent) == {"bot.py": b"print()\n"}


def test_a_comment_is_none_of_the_files(tmp_path: Path) -> None:
    assert unpacked(tmp_path, archive_of(Made(), comment=b"d670460b4b4aece5915caf5c68d12f560a9fe3e4"))


def test_names_in_any_language_are_kept(tmp_path: Path) -> None:
    assert set(unpacked(tmp_path, packed({"läufer.py": "", "データ/表.txt": ""}))) == {
        "läufer.py",
        "データ/表.txt",
    }


ZEROS = b"\0" * 10_000_000
WHOLE = archive_of(Made("a", b"a" * 1000), Made("b", b"b" * 1000))
PATH = "the file name"
REFUSED: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "a ratio bomb": (
        archive_of(Made(content=ZEROS)),
        "the unpacked archive has 10,000,000 bytes; the limit is 1,000,000",
    ),
    "a bomb that says it is small": (
        archive_of(Made(content=ZEROS, central={"size": 10}, local={"size": 10})),
        "its data are damaged",
    ),
    "many bombs of the same data": (
        archive_of(Made("a"), Made("b", central={"offset": 0})),
        "'b': its data have 0 bytes, not the 10 that it states",
    ),
    "a quine of overlapping files": (
        archive_of(
            Made(
                "a",
                method=0,
                content=b"x" * 20,
                central={"packed": 60, "size": 60},
                local={"packed": 60, "size": 60},
            ),
            Made("b"),
        ),
        "'a': its data have 20 bytes, not the 60 that it states",
    ),
    "a packed size past the end of the archive": (
        archive_of(Made(method=0, central={"packed": 10**8}, local={"packed": 10**8})),
        "'bot.py': its data have 8 bytes, not the 100,000,000 that it states",
    ),
    "a directory of 64 bits that is elsewhere": (
        archive_of(Made(), wide=wide_end(1, 52, 46, 10)),
        "the archive's directory is not at the stated place",
    ),
    "a directory that puts its files before everything": (
        archive_of(Made(), begin=0xFFFFFFFF, wide=wide_end(1, 52, (1 << 64) - 1, 98)),
        "its data are damaged",
    ),
    "a file that is shorter than it says": (
        archive_of(Made(central={"size": 500}, local={"size": 500})),
        "it is shorter than stated",
    ),
    "two sizes of a stored file": (
        archive_of(Made(method=0, central={"size": 5}, local={"size": 5})),
        "its data are damaged",
    ),
    "two names": (archive_of(Made("bot.py", local_name=b"bot.sh")), "its data are damaged"),
    "a wrong checksum": (archive_of(Made(central={"crc": 1}, local={"crc": 1})), "its data are damaged"),
    "20,001 entries": (
        lambda: archive_of(*[Made(f"{number}", b"", 0) for number in range(MOST_MARKS + 1)]),
        "more than 2,000 files and folders",
    ),
    "a file too many": (
        archive_of(*[Made(f"{number}", b"", 0) for number in range(MOST_FILES + 1)]),
        "the archive holds 1,001 files; the limit is 1,000",
    ),
    "a name that climbs": (archive_of(Made("../bot.py")), f"{PATH} leads out"),
    "a name that climbs within": (archive_of(Made("a/../../bot.py")), f"{PATH} leads out"),
    "a folder that climbs": (archive_of(Made("../", b"", 0, mode=0o040755)), f"{PATH} leads out"),
    "a name of nothing": (archive_of(Made("")), f"{PATH} leads out"),
    "a name with an empty part": (archive_of(Made("a//b")), f"{PATH} leads out"),
    "an absolute name": (archive_of(Made("/etc/passwd")), f"{PATH} is absolute"),
    "a drive": (archive_of(Made("C:/bot.py")), f"{PATH} is absolute"),
    "a backslash": (archive_of(Made("..\\bot.py")), "has a backslash"),
    "a dot at the end": (archive_of(Made("bot.py.")), "ends in a dot or a space"),
    "a blank at the end of a folder": (archive_of(Made("my /bot.py")), "ends in a dot or a space"),
    "a NUL": (archive_of(Made("bot.py\0.txt")), "an unprintable character"),
    "a line end in a name": (archive_of(Made("bot\n.py")), "an unprintable character"),
    "text that runs backwards": (archive_of(Made("bot\u202egpj.py")), "an unprintable character"),
    "a name that is no text": (archive_of(Made(b"\xff\xfe")), "not UTF-8 text"),
    "half a character": (archive_of(Made("\ud800")), "not UTF-8 text"),
    "a long part": (archive_of(Made("ä" * 128)), "is too long; the limits are 255 bytes"),
    "a long name": (archive_of(Made("/".join(["x" * 200] * 6))), "is too long"),
    "too deep": (archive_of(Made("x/" * (DEEPEST + 1) + "bot.py")), "nested in more than 16 folders"),
    "a symbolic link": (archive_of(Made(content=b"/etc/passwd", mode=0o120777)), "a link or a device"),
    "a device": (archive_of(Made(mode=0o020666)), "a link or a device"),
    "a pipe": (archive_of(Made(mode=0o010666)), "a link or a device"),
    "a socket": (archive_of(Made(mode=0o140666)), "a link or a device"),
    "a folder with a file's name": (
        archive_of(Made("data", b"", 0, mode=0o040755)),
        "name and mode disagree",
    ),
    "a file with a folder's name": (archive_of(Made("data/")), "name and mode disagree"),
    "twins by case": (archive_of(Made("Bot.py"), Made("bot.py")), "are the same name on some systems"),
    "folders that are twins by case": (
        archive_of(Made("A/x"), Made("a/y")),
        "are the same name on some systems",
    ),
    "twins by Unicode": (
        archive_of(Made("l\u00e4ufer.py"), Made("la\u0308ufer.py")),
        "are the same name on some systems",
    ),
    "twins by width": (archive_of(Made("bot.py"), Made("ｂｏｔ.py")), "are the same name on some systems"),
    "twins by sharp s": (
        archive_of(Made("stra\u00dfe"), Made("STRASSE")),
        "are the same name on some systems",
    ),
    "the same name twice": (archive_of(Made("x"), Made("x")), "appears twice"),
    "a file against a folder": (archive_of(Made("a"), Made("a/b")), "is a file and a folder"),
    "a folder against a file": (archive_of(Made("a/b"), Made("a")), "is a file and a folder"),
    "encryption": (archive_of(Made(flags=0x801)), "is encrypted"),
    "strong encryption": (archive_of(Made(flags=0x841)), "is encrypted"),
    "a hidden directory": (archive_of(Made(flags=0x2801)), "is encrypted"),
    "another method": (archive_of(Made(method=12)), "unknown compression method 12"),
    "damaged data": (archive_of(Made(data=b"\xff" * 20)), "its data are damaged"),
    "data without their end": (archive_of(Made(data=Made().packed()[:-3])), "its data are damaged"),
    "a damaged extra field": (
        archive_of(Made(extra=b"\x0d\x00\xff\xff")),
        "the file is not a ZIP archive, or incomplete",
    ),
    "no files": (archive_of(), "the archive holds no files"),
    "folders alone": (archive_of(Made("a/", b"", 0, mode=0o040755)), "the archive holds no files"),
    "folders that only names tell": (
        archive_of(Made(), *[Made(f"{n}/{'d/' * 12}x", b"", 0) for n in range(80)]),
        "the archive holds 1,040 folders",
    ),
    "nothing": (b"", "the file is not a ZIP archive"),
    "text": (b"PK is not enough", "the file is not a ZIP archive"),
    "too large": (archive_of(Made(content=bytes(LIMIT), method=0)), "the limit is 100,000"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str, tmp_path: Path) -> None:
    sent, said = REFUSED[what]
    limit = 20_000_000 if what == "20,001 entries" else LIMIT
    with pytest.raises(Refused) as refusal:
        unpacked(tmp_path, sent if isinstance(sent, bytes) else sent(), limit)
    assert said in refusal.value.detail


def test_no_part_of_an_archive_passes_for_the_whole(tmp_path: Path) -> None:
    for length in range(0, len(WHOLE), 7):
        with pytest.raises(Refused):
            unpacked(tmp_path, WHOLE[:length])


def test_what_a_refused_archive_named_is_not_written_elsewhere(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    with pytest.raises(Refused):
        unpacked(inner, archive_of(Made("bot.py"), Made("../../escaped")))
    assert {path.name for path in tmp_path.rglob("*")} == {"inner", "sent.zip"}


described = Made("bot/notes.txt", b"x" * 200, flags=0x808, local={"crc": 0, "packed": 0, "size": 0})
described.tail = struct.pack(
    "<4s3L", b"PK\7\10", *(described.numbers()[key] for key in ("crc", "packed", "size"))
)
GOOD = archive_of(
    Made("bot/bot.py", b"print(1)\n" * 20, mode=MODE | 0o111),
    Made("bot/data/", b"", 0, mode=0o040755),
    Made("bot/data/weights.bin", bytes(range(64)), 0),
    described,
    comment=b"mine",
)


@st.composite
def mutations(draw: st.DrawFn) -> bytes:
    """The good archive with bytes changed, taken out, put in, or a part of it repeated."""
    content = bytearray(GOOD)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content) - 1))
        kind = draw(st.sampled_from(["change", "take", "put", "repeat", "number"]))
        if kind == "change":
            content[at] ^= draw(st.integers(1, 255))
        elif kind == "take":
            del content[at : at + draw(st.integers(1, 40))]
        elif kind == "put":
            content[at:at] = draw(st.binary(min_size=1, max_size=40))
        elif kind == "repeat":
            content[at:at] = content[at : at + draw(st.integers(1, 200))]
        else:
            content[at : at + 4] = draw(st.sampled_from([bytes(4), b"\xff" * 4, b"\1\0\0\0"]))
        if not content:
            return b""
    return bytes(content)


@examples(500)
@given(content=mutations())
def test_a_mutated_archive_is_refused_or_unpacked_within_its_limits(content: bytes, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    inner = tmp_path_factory.mktemp("mutated") / "inner"
    inner.mkdir()
    with suppress(Refused):
        unpacked(inner, content)
    assert [path.name for path in inner.parent.iterdir()] == ["inner"]
    found = [path for path in inner.rglob("*") if not path.is_dir()]
    assert all(path.is_file() and not path.is_symlink() for path in found)
    assert sum(path.stat().st_size for path in found if path.name != "sent.zip") <= 10 * LIMIT


def test_the_good_archive_that_is_mutated_is_good(tmp_path: Path) -> None:
    assert set(unpacked(tmp_path, GOOD)) == {"bot.py", "data/weights.bin", "notes.txt"}
