"""The programming languages that a season's machine offers: versions, and Python's libraries.

for language in languages(config):
    language.word, language.version, language.libraries    # "python3", "3.11.2", {"numpy": "1.26.4"}
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING

from arbiter import __version__
from arbiter.sandbox.build import problem, tool
from arbiter.sandbox.failure_hints import reports_missing_module
from arbiter.sandbox.landlock import search_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.config import Config

STARTING = ("python3", "node", "bash", "java", "perl", "ruby", "lua", "php")
"""First words of commands."""
BUILDING = ("make", "gcc", "g++", "rustc", "go", "javac")
"""First words of build commands."""
LIBRARIES = MappingProxyType({
    "numpy": "numpy", "scipy": "scipy", "pandas": "pandas", "scikit-learn": "sklearn", "numba": "numba",
    "torch": "torch", "tensorflow": "tensorflow", "jax": "jax", "onnxruntime": "onnxruntime",
    "networkx": "networkx", "gymnasium": "gymnasium",
})  # fmt: skip
"""The Python libraries looked for: modules by package name."""
QUESTIONS = MappingProxyType({
    "gcc": "-dumpfullversion", "g++": "-dumpfullversion", "go": "version", "lua": "-v", "java": "-version",
    "javac": "-version",
})  # fmt: skip
"""The version option of programs; the others take ``--version``."""
LOOK_FOR_LIBRARIES = """
import importlib.metadata, importlib.util, json, sys
found = {}
for package, module in json.loads(sys.argv[1]).items():
    if importlib.util.find_spec(module):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = ""
print(json.dumps(found))
"""
LIST_INSTALLED = """
import importlib.metadata
print(sorted((str(one.metadata["Name"]), one.version) for one in importlib.metadata.distributions()))
"""
VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
ASK_SECONDS = 10
KEPT_SECONDS = 5.0
"""How long `inspection_digest` caches versions, however often an author sends an archive."""
_ASKED: dict[str, tuple[float, str]] = {}


@dataclass(frozen=True, slots=True)
class Language:
    """A program that authors can name by a `word`: its path, its version, its libraries' versions.

    A version is "" if unknown. Paths are not shown to authors.
    """

    word: str
    path: str
    version: str
    libraries: Mapping[str, str]


def languages(config: Config) -> list[Language]:
    """Find a season's languages here, and run each for its version; compilers only if builds are possible.

    Versions are cached, except for `inspection_digest`; asking takes some 10 ms each, Java 100 ms.
    """
    builds = config.submissions is not None and config.submissions.builds and not problem()
    words = dict.fromkeys((*STARTING, *(BUILDING if builds else ()), *config.languages))
    return [found for word in words if (found := _find_language(config, word)) is not None]


def inspection_digest(config: Config) -> str:
    """Return a digest of what an inspection depends on, except for the archive.

    It covers the machine's languages, all installed Python packages, the season's rules, and this version of
    the service. Programs are run for it at most once in `KEPT_SECONDS`.
    """
    rules = {key: value for key, value in config.settings.items() if key != "players"}
    sent = (
        config.submissions.model_dump(mode="json", exclude={"until", "per_day"}) if config.submissions else {}
    )
    known = json.dumps([__version__, rules, sent], sort_keys=True)
    at, there = _ASKED.get(known, (-math.inf, ""))
    if time.monotonic() - at > KEPT_SECONDS:
        program_version.cache_clear()
        _run_for_libraries.cache_clear()
        there = str([(one.word, one.path, one.version, _list_packages(one)) for one in languages(config)])
        _ASKED.clear()
        _ASKED[known] = time.monotonic(), there
    return sha256(f"{known}{there}".encode()).hexdigest()


def missing_program_advice(config: Config, word: str, message: str, missing: str) -> str:
    """Return advice if a program is `missing`, or `message` reports a missing module, else "".

    `word` is the first one of the command. The advice names no paths.
    """
    if missing and "/" not in missing:
        there = ", ".join(f"{found.word} {found.version}".strip() for found in languages(config))
        return f"this machine has {there}: name one of them, or ask the organiser for more"
    found = _find_language(config, word) if reports_missing_module(message.encode(errors="replace")) else None
    if found is None:
        return ""
    there = ", ".join(f"{name} {version}".strip() for name, version in found.libraries.items())
    what = f"{word} {found.version}".strip() + " runs here" + (f", with {there}" if there else "")
    return f"{what}: put other modules into the archive, or ask the organiser for them"


def _find_language(config: Config, word: str) -> Language | None:
    """Find a program and run it for its version and libraries; None if this machine lacks it."""
    named = config.languages.get(word)
    path = search_path((one.program,) for one in config.languages.values())
    program = named.program if named else shutil.which(word, path=path)
    if word in BUILDING and program:
        program = tool(program)
    if not program or not os.access(program, os.X_OK):
        return None
    return Language(word, program, program_version(word, program), _run_for_libraries(word, program))


@lru_cache(maxsize=256)
def program_version(word: str, program: str) -> str:
    """Run a program, named by `word`, and return the version that it prints, "" for none."""
    said = VERSION.search(_output_of(program, QUESTIONS.get(word, "--version")))
    return said[0] if said else ""


@lru_cache(maxsize=256)
def _run_for_libraries(word: str, program: str) -> Mapping[str, str]:
    """Run a Python; return the versions of the `LIBRARIES` that it has, none for another program."""
    if not word.startswith("python"):
        return MappingProxyType({})
    try:
        said = _output_of(program, "-I", "-c", LOOK_FOR_LIBRARIES, json.dumps(dict(LIBRARIES)))
        return MappingProxyType({str(name): str(version) for name, version in json.loads(said).items()})
    except (ValueError, AttributeError):
        return MappingProxyType({})


def _list_packages(language: Language) -> str:
    """Run a Python and return the list of all packages installed for it; "" for other languages."""
    return _output_of(language.path, "-I", "-c", LIST_INSTALLED) if language.word.startswith("python") else ""


def _output_of(*command: str) -> str:
    """Run a program of the organiser and return its output, or its standard error; "" if it fails."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
            timeout=ASK_SECONDS,
            stdin=subprocess.DEVNULL,
            # Independent of the service's folder and environment.
            cwd="/",
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout or done.stderr
