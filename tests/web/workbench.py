"""The sandbox of the workshop in a real browser, for tests: a page of the site that has nothing else to do."""

from typing import TYPE_CHECKING, Any

from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

OPEN = """async (patience) => {
  const { Sandbox } = await import("/static/workshop_sandbox.js");
  const told = JSON.parse(document.querySelector("#workshop").dataset.told);
  window.bench = new Sandbox(document.body, { ...told.place, patience });
}"""
ASK = """async ([language, source, game, p]) => window.bench.ask(language, source, game, p)"""
P: dict[str, Any] = {"text": "000", "legal": ["1", "2"], "any": "2", "turn": 1, "left": None, "refused": None, "seat": 0}


class Bench:
    """A page with an open sandbox."""

    def __init__(self, page: "Page", site: Running, patience: int = 2_000) -> None:
        self.page = page
        page.goto(f"{site.url}/workshop/tictactoe", wait_until="domcontentloaded")
        page.evaluate(OPEN, patience)

    def ask(self, source: str, language: str = "javascript", game: str = "one", **p: object) -> dict[str, Any]:
        """Return what a program answers: `move`, `printed`, `error`."""
        found: dict[str, Any] = self.page.evaluate(ASK, [language, source, game, P | p])
        return found
