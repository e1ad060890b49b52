"""The scripts: joined into one, with what is refused; they draw frames, and know no game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arbiter.games import find, names
from arbiter.web.rendering.compression import STATIC
from arbiter.web.rendering.script_bundle import join_modules

FILES = sorted(path for path in STATIC.rglob("*") if path.suffix in (".js", ".css"))
WORDS = sorted(
    {word.lower() for name in names() for word in (name, find(name).title, find(name).seat_word)}
    - {"starter"}
)


def test_each_module_stands_once_and_after_all_that_it_imports(tmp_path: Path) -> None:
    (tmp_path / "below.js").write_text("export const one = 1;\nexport async function two() {}\n")
    (tmp_path / "left.js").write_text('import { one } from "./below.js";\nexport class Left {}\n')
    (tmp_path / "top.js").write_text(
        'import { one as same, two } from "./below.js";\nimport { Left } from "./left.js";\nawait two();\n'
    )
    joined = join_modules(tmp_path / "left.js", tmp_path / "top.js")
    assert [
        line.strip() for line in re.findall(r"^const .*", joined, re.MULTILINE) if "await" not in line
    ] == [
        "const one = 1;",
        "const { one } = module0;",
        "const { one: same, two } = module0;",
        "const { Left } = module1;",
    ]
    assert re.findall(r"return (.*);", joined) == ["{ one, two }", "{ Left }", "{  }"]
    assert not re.search(r"^(import|export)", joined, re.MULTILINE)


@pytest.mark.parametrize(
    "text",
    [
        'import all from "./other.js";\n', 'import "./other.js";\n', "export default 1;\n", "const a = 1;\nexport { a };\n",
        'await import("./other.js");\n', 'import { a } from "./module.js";\n', 'const a = "</SCRIPT>";\n', "// <!-- \n",
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "module.js").write_text(text)
    with pytest.raises(ValueError, match=r"module"):
        join_modules(tmp_path / "module.js")


def test_every_module_of_ours_can_be_joined() -> None:
    for path in STATIC.rglob("*.js"):
        # A wall loads the viewer when it plays a match; no report holds it.
        assert path.name in ("live.js", "wall.js") or join_modules(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_script_and_no_style_names_a_game(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()
    assert [word for word in WORDS if word in text] == []
