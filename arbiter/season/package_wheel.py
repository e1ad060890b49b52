"""This package as a wheel for archives: years later no index may have the version that played a season.

Pure Python: `pip` installs it on any machine. The rules in C, of which there is a Python version too, and
what a clone has beside the packages, such as sample bots, are left out.
"""

from __future__ import annotations

import io
import zipfile
from base64 import urlsafe_b64encode
from functools import lru_cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import arbiter
import rating

DISTRIBUTION = "arbiter-cards"
NAME = f"arbiter_cards-{arbiter.__version__}-py3-none-any.whl"
DESCRIPTION = f"arbiter_cards-{arbiter.__version__}.dist-info"
WHEEL = "Wheel-Version: 1.0\nGenerator: arbiter\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
COMMANDS = "[console_scripts]\narbiter = arbiter.cli:main\nrating = rating.cli:main\n"
MADE = (".pyc", ".so")
"""Suffixes of files that Python and a compiler make."""


@lru_cache(maxsize=1)
def wheel() -> bytes:
    """Read the packages as they are installed, and return them as a wheel of the name `NAME`."""
    packed, record = io.BytesIO(), []
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [*_sources(), *_description()]:
            digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")
            # Without the times of this machine, so that equal sources are equal wheels.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        record.append(f"{DESCRIPTION}/RECORD,,\n")
        archive.writestr(zipfile.ZipInfo(f"{DESCRIPTION}/RECORD"), "".join(record), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _sources() -> list[tuple[str, bytes]]:
    folders = [Path(package.__path__[0]) for package in (arbiter, rating)]
    return [
        (path.relative_to(folder.parent).as_posix(), path.read_bytes())
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in MADE
    ]


def _description() -> list[tuple[str, bytes]]:
    """Return the wheel's own files but its `RECORD`; without the metadata of an installation the name."""
    try:
        about = metadata.distribution(DISTRIBUTION).read_text("METADATA") or ""
    except metadata.PackageNotFoundError:
        about = f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {arbiter.__version__}\n"
    texts = {"METADATA": about, "WHEEL": WHEEL, "entry_points.txt": COMMANDS}
    return [(f"{DESCRIPTION}/{name}", text.encode()) for name, text in texts.items()]
