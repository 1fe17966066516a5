"""Days that people live through: on a laptop and on a phone, in both languages; one of the four in every run."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import browsing, picture
from tests.web.test_every_page import COMPLAINTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCREENS = {"laptop": {"width": 1366, "height": 768}, "phone": {"width": 390, "height": 844}}
LOCALES = ("en-GB", "fr-FR")


def everywhere(screen: str, locale: str) -> pytest.MarkDecorator:
    """Parametrise a day by `screen` and `locale`: this pair in every run, the other three in a campaign."""
    pairs = [(one, other) for one in SCREENS for other in LOCALES]
    found = [pytest.param(*one, marks=() if one == (screen, locale) else pytest.mark.campaign) for one in pairs]
    return pytest.mark.parametrize(("screen", "locale"), found)


def live(chromium: object, story: "Callable[[Day], None]", screen: str, locale: str, **context: Any) -> None:
    """Let somebody live through a day; nothing may complain on the way."""

    def told(page: "Page") -> None:
        day = Day(page, screen, locale)
        story(day)
        assert not day.complaints, "\n".join(day.complaints)

    scheme = "dark" if screen == "phone" else "light"
    browsing(viewport=SCREENS[screen], locale=locale, color_scheme=scheme, **context)(told)(chromium=chromium)


class Day:
    """A page that somebody looks at, again and again; `look` notes what is wrong with it at the moment."""

    def __init__(self, page: "Page", screen: str, locale: str) -> None:
        self.page, self.screen, self.locale = page, screen, locale
        self.complaints: list[str] = []
        page.on("console", lambda told: self.complaints.append(told.text) if told.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda asked: asked.accept())

    def look(self, name: str) -> None:
        """Look at the page as it is: nothing beside the window; on a phone also what every page owes to a finger."""
        page = self.page
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        wrong = [f"{wide} pixels too wide"] if wide > 0 else []
        if self.screen == "phone":
            wrong += page.evaluate(COMPLAINTS, self.locale[:2])
        self.complaints += [f"{name}: {one}" for one in wrong]
        picture(page, f"day-{name}-{self.screen}-{self.locale[:2]}")
