"""A real Chromium for tests: launched once, in a thread of its own, a fresh page for every test.

The thread is there because Playwright keeps an event loop running where it was started, and other tests want to start theirs.
To make a place for a visitor, with cookies of its own, costs a second of a core: a test gets one that another test has left,
where nothing is kept any more.
Nothing is downloaded: the Chromium of the system is used, and a test skips, naming what is missing, where there is none.
"""

import functools
import inspect
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The one that has no windows to draw comes first: it takes two thirds of the others' time."""

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--autoplay-policy=no-user-gesture-required",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
"""The browser stays at home: no name but ours is looked up."""

PATIENCE_MS = 30_000
"""How long a page may take on a busy machine."""

OUTPUT = Path(__file__).parent.parent / "test-output"
"""Where screenshots go, for people to look at."""

PICTURES = bool(os.environ.get("ARBITRE_PICTURES"))
"""Whether somebody wants to."""


class Chromium:
    """The browser; `visit` lets a function use a page of it."""

    def __init__(self, program: str) -> None:
        self._thread = ThreadPoolExecutor(1, "chromium")
        self._playwright: Playwright
        self._browser: Browser
        try:
            self._thread.submit(self._launch, program).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def _launch(self, program: str) -> None:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - a development tool that may be missing

        self._playwright = sync_playwright().start()
        try:
            self._browser = self._playwright.chromium.launch(
                executable_path=program,
                args=list(ARGUMENTS),
            )
        except BaseException:
            self._playwright.stop()
            raise

    def visit(self, story: "Callable[[Page], None]", **context: Any) -> None:
        """Call `story` with a page of its own, which is closed afterwards; `context` are Playwright's options."""

        def told() -> None:
            with visitor(self._browser, **{"viewport": {"width": 760, "height": 684}, **context}) as page:
                story(page)

        self._thread.submit(told).result()

    def close(self) -> None:
        """End the browser and its thread."""

        def end() -> None:
            LEFT.pop(self._browser, None)
            self._browser.close()
            self._playwright.stop()

        self._thread.submit(end).result()
        self._thread.shutdown()


LEFT: "dict[Browser, dict[str, list[BrowserContext]]]" = defaultdict(lambda: defaultdict(list))
"""Places that visitors have left, by browser, whose thread alone may use them, and by the options of each.

Each has an empty page, without which it would be made ready anew.
"""


@contextmanager
def visitor(browser: "Browser", **context: Any) -> "Iterator[Page]":
    """Return the page of somebody who was never there before; `context` are Playwright's options."""
    left = LEFT[browser][repr(sorted(context.items()))]
    place = left.pop() if left else browser.new_context(**context)
    empty = place.pages[0] if place.pages else place.new_page()
    place.set_default_timeout(PATIENCE_MS)
    try:
        yield place.new_page()
    except BaseException:
        place.close()  # who knows what is open there
        raise
    for page in place.pages[1:]:
        page.close()
    place.clear_cookies()
    place.new_cdp_session(empty).send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    left.append(place)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """Return the browser of this run of the tests."""
    pytest.importorskip("playwright", reason="the Python package playwright is not installed")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no Chromium on this system: none of {', '.join(NAMES)} is on the path")
    browser = Chromium(program)
    yield browser
    browser.close()


def browsing(**context: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test in the browser's thread: its argument `page` is a fresh page, made with these options."""

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(chromium: Chromium, **rest: Any) -> None:
            chromium.visit(lambda page: test(page=page, **rest), **context)

        given = inspect.signature(test)
        asked = [one.replace(name="chromium") if one.name == "page" else one for one in given.parameters.values()]
        run.__signature__ = given.replace(parameters=asked)  # type: ignore[attr-defined]
        return run

    return decorated


@contextmanager
def tabs(page: "Page", folder: Path) -> "Iterator[BrowserContext]":
    """Return the tabs of a Chromium in which the one in front hides the others, as on a desk, and slows their timers down.

    Those of the browser that tests share all pretend to be in front; a window of its own, in `folder`, does not.
    """
    program = next(filter(None, map(shutil.which, NAMES[1:])), None)
    if program is None:
        pytest.skip(f"no Chromium with windows on this system: none of {', '.join(NAMES[1:])} is on the path")
    own = ("--headless=new", "--remote-debugging-port=0", "--no-first-run", f"--user-data-dir={folder}")
    process = subprocess.Popen([program, *ARGUMENTS, *own, "about:blank"], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        address = next((line.split()[-1] for line in process.stderr if line.startswith("DevTools listening on")), "")
        assert address, "it ended before it listened"
        assert page.context.browser is not None
        browser = page.context.browser.browser_type.connect_over_cdp(address, no_defaults=True)
        browser.contexts[0].set_default_timeout(PATIENCE_MS)
        yield browser.contexts[0]
        browser.close()
    finally:
        process.terminate()
        process.communicate(timeout=30)


def until(page: "Page", script: str, argument: object = None) -> None:
    """Wait until a script says yes; Playwright's own way is refused by the policy of our pages unless it does so at once."""
    for _ in range(600):
        if page.evaluate(script, argument):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {script}")


def picture(page: "Page", name: str) -> None:
    """Keep a screenshot, where somebody wants to look; each takes an eighth of a second."""
    if PICTURES:
        photograph(page, name)


def photograph(page: "Page", name: str) -> None:
    """Keep a screenshot in any case."""
    OUTPUT.mkdir(exist_ok=True)
    page.screenshot(path=OUTPUT / f"{name}.png")
