"""A browser without a head, and a site on loopback for it to visit."""

from __future__ import annotations

import shutil
import threading
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from arbiter.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.web.seasons import Seasons
from arbiter.web.site import make_site
from tests.web.long_season import make_long_season

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

NEEDED = "needs {}: pip install 'arbiter-cards[dev]'"


# Not for the session: its loop runs in this thread, where other tests may want one of their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium; one start for all tests of this folder."""
    api = pytest.importorskip("playwright.sync_api", reason=NEEDED.format("playwright"))
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program)
        yield started
        started.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a context of its own, which takes the options."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(closing(browser.new_context(**options))).new_page()


@pytest.fixture(scope="package")
def axe() -> str:
    """The script that finds what keeps people out of a page."""
    package = "axe_playwright_python.sync_playwright"
    script: str = pytest.importorskip(package, reason=NEEDED.format("axe-playwright-python")).Axe().axe_script
    return script


@pytest.fixture(scope="package")
def files(original_season: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Seasons' files: `small` with a round under way, `long` that is over, `new` without a round."""
    folder = tmp_path_factory.mktemp("seasons")
    shutil.copytree(original_season, folder, dirs_exist_ok=True)
    small, new = folder / "small.yaml", folder / "new.yaml"
    new.write_text(small.read_text().replace("season: small", "season: new"))
    with closing(Store(load(new).store)) as store:
        Season.open(load(new), store)
    return [small, make_long_season(folder, 3, players=8), new]


@pytest.fixture(scope="package")
def site(files: list[Path]) -> Iterator[str]:
    """The address of a site with those seasons."""
    with closing(Seasons(files)) as seasons, served(make_site(seasons)) as address:
        yield address


@contextmanager
def served(app: Any) -> Iterator[str]:
    """An application on a free port of loopback."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
