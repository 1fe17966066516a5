"""Whatever a query says, an interface shows something and complains about nothing."""

from typing import TYPE_CHECKING

import pytest

from tests.browser import browsing
from tests.web.interfaces.stage import Stage, complaints

if TYPE_CHECKING:
    from playwright.sync_api import Page

GAMES = ("rochambeau", "mastermind", "seafight", "poker")
TRAYS = (
    "",
    "***",
    "Init",
    "x",
    "***" * 9,
    "9" * 300,
    "ABCDEFGH" * 20,
    "%00%u0000",
    "01001SASASASAM1",
    "0" * 50 + "***" + "7" * 150,
)
MOVES = ("", "Z9", "C5", "C59", "-1", "1e9", "4", "<b>", "%FF")
GAINS = ("", "V9Z99", "H5J01V5A91", "ABCZ", "99999", "-5", "NaN", "%u2603")


def queries() -> list[str]:
    """Return queries that mix all that."""
    return [
        f"Set=x&Method={method}&Tray={tray}&Move1={MOVES[n % len(MOVES)]}&Move2={MOVES[(n + 3) % len(MOVES)]}"
        f"&Gain1={GAINS[n % len(GAINS)]}&Gain2={GAINS[(n + 5) % len(GAINS)]}&Input={seat}"
        for n, (tray, method, seat) in enumerate(
            (tray, method, seat)
            for tray in TRAYS
            for method, seat in (("Standard", "One"), ("Double", "Two"), ("End", ""), ("Inverse", "x"))
        )
    ] + ["", "?", "&&==", "Tray", "Method=Prepare", "Method=none", "Method=toString", "Input=One&WebTest=1", "Wait=-3&Wait=x"]


@pytest.mark.parametrize(
    ("game", "every"), [*((game, 14) for game in GAMES), *(pytest.param(game, 7, marks=pytest.mark.campaign) for game in GAMES)]
)
@browsing()
def test_garbage_is_borne(page: "Page", site: Stage, game: str, every: int) -> None:
    errors = complaints(page)
    for query in queries()[::every]:
        page.goto(f"{site.root}/{game}.html?{query}")
        page.locator("html[data-state]").wait_for(state="attached")
    assert errors == []
