"""The seed's own TicTacToe page (annex B) works as a third party's interface, from another origin and in the sandbox.

The page is read from the seed; what its extraction to text broke is repaired by the list below and by nothing else. Its pictures
are missing, so cells are told apart by the pictures' names.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from arbitre.games.game import FIRST, SECOND
from arbitre.games.screen import Shown
from arbitre.games.tictactoe.rules import Board, TicTacToe
from arbitre.games.wires import screen_of
from tests.browser import browsing, picture
from tests.shared import shared
from tests.web.interfaces.stage import Stage, stage

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

REPAIRS = [
    # what the extraction wrapped around lines
    ("</pre>", "", 10),
    ('CONTENT="NO-CACHE"\n', 'CONTENT="NO-CACHE">\n', 1),
    # a quote
    ("var Pion1=\"'", 'var Pion1=""', 1),
    # words that were split, and one letter that was misread in three places
    ("var Webmaster Joue", "var Webmaster_Joue", 1),
    ("function Affiche Vide", "function Affiche_Vide", 1),
    ("function Private Init", "function Private_Init", 1),
    ("bor-\nder", "border", 2),
    ("docu-\nment", "document", 1),
    ("'movel'", "'move1'", 1),
    ("{Movel=", "{Move1=", 1),
    ("<!FRAME", "<IFRAME", 1),
    # a colon, and strings that were broken over two lines
    ("case 'affiche'\n", "case 'affiche' :\n", 1),
    ('"<A\nHref', '"<A Href', 1),
    ("value='Joue'\nonclick", "value='Joue' onclick", 1),
    ("plateau'\nonclick", "plateau' onclick", 1),
    # braces that stood alone on their lines
    (r're:(vide\.gif\' border=0>";)\s+break;', r"\1}break;", 1),
    (r're:(PionGagnant2;\s+break;)\s+(ContenuPlateau\+="</TD>")\s+(ContenuPlateau\+="</TR>")', r"\1}\n\2}\n\3}\n", 1),
    ("innerHTML=LeNomJoueur2\nfunction", "innerHTML=LeNomJoueur2}\nfunction", 1),
    ("QueryValeurs[i]=Paire[1];\n", "QueryValeurs[i]=Paire[1];}\n", 1),
    (r"re:(substring\(j,j\+1\)\};break;)", r"\1}", 1),
    (r"re:(URLRetour=Valeur;break;\s+\})", r"\1}", 1),
    ("Affiche_Vide();break;\n", "Affiche_Vide();break;}\n", 1),
    ("Affiche()\n</script>", "Affiche()}}\n</script>", 1),
    (r"re:\n(\.Div1|\.Div2|#Legende|\.Nom|\.Score|#Tirage) \{", r"\n}\n\1 {", 6),
]
"""What stands in the seed (or a pattern), what stood in the page, and how often."""

SEED = "seeds/004_e023b3277fc86d7c.txt"


def annex() -> str:
    """Return the page of annex B, repaired."""
    text = shared(SEED).read_text(encoding="utf-8")
    printed = text[text.index("<u>Annexe B") :].split("```", 1)[1].rsplit("```", 1)[0]
    page = re.sub(r"\n*```\n*", "\n", printed)
    for broken, whole, times in REPAIRS:
        if broken.startswith("re:"):
            page, done = re.subn(broken[3:], whole, page)
        else:
            done = page.count(broken)
            page = page.replace(broken, whole)
        assert done == times, f"{broken!r} stands {done} times in the annex"
    return page


@pytest.fixture
def third_party() -> Iterator[Stage]:
    """Return another site, with its own port and none of our headers, that has the page of the annex."""
    page = annex()
    with stage(policy=None) as other:
        other.pages["/their/tictactoe.html"] = page
        yield other


def pictures(frame: "Frame") -> list[str]:
    """Return the names of the pictures in the nine cells."""
    return [one.split("/")[-1] for one in frame.evaluate("[...document.querySelectorAll('#Plateau img')].map((one) => one.src)")]


def visit(page: "Page", site: Stage, theirs: Stage, shown: Shown, sandbox: str, returns: str | None = None) -> "Frame":
    frame = site.open(
        page,
        shown,
        interface=f"{theirs.root}/their/tictactoe.html",
        sandbox=sandbox,
        names=("Ada", "Zoë 象"),
        legend="À vous",
        returns=returns,
    )
    frame.wait_for_selector("#Plateau td", state="attached")
    return frame


STRICT, OWN_ORIGIN = "allow-scripts", "allow-scripts allow-same-origin"
"""With the second, a page of another origin than ours keeps that origin, and no more."""


@pytest.mark.parametrize("sandbox", [STRICT, OWN_ORIGIN])
@browsing()
def test_it_shows_a_board_and_returns_a_cell(page: "Page", site: Stage, third_party: Stage, sandbox: str) -> None:
    before, after = Board("120010000"), Board("120010020")
    shown = screen_of(TicTacToe()).show(after, FIRST, before=before, asks=FIRST)
    frame = visit(page, site, third_party, shown, sandbox, site.returns)
    assert (frame.evaluate("window.origin") == "null") == (sandbox == STRICT)
    one, two, free = "pion1.png", "pion2.png", "vide.gif"
    assert pictures(frame) == [one, two, free, free, one, free, free, two, free]
    assert frame.locator("#Joueur1 u").text_content() == "Ada", "whose turn it is"
    assert frame.locator("#Joueur2").text_content() == "Zoë 象"
    assert frame.locator("#Legende").text_content() == "À vous"
    assert frame.locator("#Tirage").text_content() == "4"
    picture(page, "annex-b")
    link = frame.locator("#Plateau a").nth(3)
    if sandbox == STRICT:
        # Its cells are javascript: links, and Chromium follows none in a frame without an origin: what the link says is called.
        frame.evaluate((link.get_attribute("href") or "").removeprefix("javascript:"))
    else:
        link.locator("img").click()
    assert site.returned_value() == "7"
    assert pictures(frame)[6] == one


@browsing()
def test_it_asks_the_second_player(page: "Page", site: Stage, third_party: Stage) -> None:
    before, after = Board("000000000"), Board("000010000")
    shown = screen_of(TicTacToe()).show(after, SECOND, before=before, asks=SECOND)
    frame = visit(page, site, third_party, shown, OWN_ORIGIN, site.returns)
    frame.locator("#Plateau a img").first.click()
    assert site.returned_value() == "1"
    assert pictures(frame)[0] == "pion2.png"


@browsing()
def test_it_shows_the_winning_line(page: "Page", site: Stage, third_party: Stage) -> None:
    shown = screen_of(TicTacToe()).show(Board("122010001"), "spectator", before=Board("122010000"))
    frame = visit(page, site, third_party, shown, STRICT)
    assert [at for at, name in enumerate(pictures(frame)) if name == "pion1gagnant.png"] == [0, 4, 8]
    assert frame.locator("#Plateau a").count() == 0
