"""Reports for CI: JUnit files and match records."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ConfigError
from arbiter.replay.export.atomic_files import write_atomically
from arbiter.text import xml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.record import MatchRecord


class Case(NamedTuple):
    """A test case: its result in one `line`, `details` below it, and the `kind` of a failure or ""."""

    classname: str
    name: str
    seconds: float
    failed: bool
    line: str
    details: str = ""
    kind: str = ""


def junit(suite: str, cases: Sequence[Case], seconds: float) -> str:
    """Return the JUnit document of a suite's cases."""
    failures = sum(case.failed for case in cases)
    tree = ET.Element("testsuite", name=suite, tests=str(len(cases)), failures=str(failures))
    tree.set("time", f"{seconds:.3f}")
    for case in cases:
        element = ET.SubElement(tree, "testcase", classname=case.classname, name=xml_text(case.name))
        element.set("time", f"{case.seconds:.3f}")
        if case.failed:
            failure = ET.SubElement(element, "failure", message=xml_text(case.line))
            if case.kind:
                failure.set("type", case.kind)
            failure.text = xml_text(case.details)
        else:
            text = "\n".join(filter(None, (case.line, case.details)))
            ET.SubElement(element, "system-out").text = xml_text(text)
    ET.indent(tree)
    return "<?xml version='1.0' encoding='UTF-8'?>\n" + ET.tostring(tree, encoding="unicode") + "\n"


def write_records(folder: str, records: Mapping[str, MatchRecord]) -> None:
    """Write each record to a file in a folder, created if missing; ConfigError if that fails."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot be created: {error.strerror}", folder) from None
    for name, record in records.items():
        write_atomically(str(Path(folder) / file_name(name)), json.dumps(record.to_json(), indent=1) + "\n")


def file_name(match: str) -> str:
    return match.replace("/", "-") + ".json"


def check_writable(path: str | None) -> None:
    """Raise ConfigError if no file can be written to `path`; None is fine."""
    if path is None:
        return
    place = Path(path).absolute()
    if not path or place.is_dir():
        raise ConfigError("cannot be written: it is a folder" if path else "empty file name", path)
    if not place.parent.is_dir():
        hint = "create it, or name another file"
        raise ConfigError(f"cannot be written: there is no folder {Path(path).parent}", path, hint)
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise ConfigError("cannot be written: permission denied", path)
