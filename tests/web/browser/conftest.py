"""A browser without a head, and a site on loopback for it to visit."""

from __future__ import annotations

import shutil
import threading
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.site import make_site
from tests.fixtures.long_season import make_long_season
from tests.web.browser.viewer import Viewer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.web.browser.viewer import Show

NEEDED = "needs {}: pip install 'arbiter-cards[dev]'"
FORGET = "try { localStorage.clear(); sessionStorage.clear(); } catch { /* nowhere */ }"


# Not for the session: its loop runs in this thread, where other tests may want one of their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium; one start for all tests of this folder."""
    api = pytest.importorskip("playwright.sync_api", reason=NEEDED.format("playwright"))
    # Without the windows of the whole one it takes three quarters of its CPU.
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if program is None:
        pytest.skip("needs chromium: apt-get install chromium-headless-shell")
    with api.sync_playwright() as playwright:
        # Drawing in software for an emulated graphics card, and a new process for each site, cost more than they save.
        flags = ["--disable-gpu", "--disable-software-rasterizer", "--renderer-process-limit=1"]
        flags += ["--disable-site-isolation-trials"]
        started = playwright.chromium.launch(executable_path=program, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="package")
def left(browser: Browser) -> list[Page]:
    """The page that the last test has left, if nobody has it: to open another one costs as much as most tests."""
    return []


@contextmanager
def opened(browser: Browser, left: list[Page], own: bool = False, **options: Any) -> Iterator[Page]:
    """A page with these options of a context; a context of its `own`, or one that has forgotten all."""
    if own or options.keys() - {"viewport", "color_scheme", "reduced_motion"}:
        with closing(browser.new_context(**options)) as context:
            yield context.new_page()
        return
    page = left.pop() if left else browser.new_context().new_page()
    page.set_viewport_size(options.pop("viewport", {"width": 1280, "height": 720}))
    page.emulate_media(**({"media": "null", "color_scheme": "null", "reduced_motion": "null"} | options))
    yield page
    page.evaluate(FORGET)
    page.context.clear_cookies()
    page.unroute_all()
    page.goto("about:blank")
    left.append(page)


@pytest.fixture
def new_page(browser: Browser, left: list[Page]) -> Iterator[Callable[..., Page]]:
    """Opens a page, which takes the options; nothing moves in it unless they say so."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(
            opened(browser, left, **({"reduced_motion": "reduce"} | options))
        )


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
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    made = Viewer()
    with served(made.app) as made.base:
        yield made


@pytest.fixture
def show(browser: Browser, left: list[Page], viewer: Viewer) -> Iterator[Show]:
    """Opens an address, or the page of a replay and of the seats' own ones; in the end no page may have complained, or asked anybody but the site for anything."""
    complaints: list[str] = []
    requests: list[str] = []

    def shown(
        what: Any,
        own: Sequence[Any] = (),
        query: str = "",
        *,
        clean: bool = True,
        clock: bool = False,
        **options: Any,
    ) -> Any:
        address = what if isinstance(what, str) else viewer.hold(what, own) + query
        page = stack.enter_context(opened(browser, left, own=clock, **options))
        if clean:
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        if clock:
            page.clock.install(time=0)
            # Only what a test lets pass: a busy machine's own seconds would be steps, too.
            page.clock.pause_at(1000)
        page.goto(address)
        if clean and options.get("java_script_enabled", True):
            page.wait_for_selector(".rp-table")
        return page

    with ExitStack() as stack:
        yield shown
    assert complaints == []
    assert [url for url in requests if not url.startswith((viewer.base, "data:"))] == []
