"""A site with something on every page: people, engines, games, a class, competitions, a league, elections, the arcade.

`furnished` opens it; its `pages` are the addresses of pages with who looks at each: one that looks otherwise to somebody else is
there twice.
"""

import asyncio
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from arbitre.analysis.work import analysed
from arbitre.arcade.ledger import Ledger
from arbitre.site.accounts import Role
from arbitre.site.analyses import Wish
from arbitre.site.competitions.competitions import CompetitionId, Stage
from arbitre.site.puzzles import AHEAD, today
from arbitre.tournoyons.wire import Style
from tests.added import served
from tests.analysis.test_puzzles import found
from tests.league.house import ANN, BOB, EVE, black, free_port, send, white
from tests.tournoyons.test_player import ENGINES, started
from tests.web.place import Place
from tests.web.site import quiet, running
from tests.web.test_arcade import Browser, lead, until

PASSWORD = "a long password"  # noqa: S105 - of nobody
PEOPLE = {
    "Otilia": Role.OPERATOR, "Oscar": Role.ORGANISER, "Tessa": Role.TEACHER, "Ann": Role.PLAYER, "Bob": Role.PLAYER,
    "Bartholomew-the-Long-Named": Role.PLAYER, "Rex": Role.PLAYER,
}  # fmt: skip
ENGINES_OF = (
    "Abeille", "Brillant", "Calme", "Deep.Pond", "Étoile", "Forte", "Grand.Maitre.Supreme", "Hardi", "Intrepide", "Jade", "Koala",
    "Lynx",
)  # fmt: skip
BROKEN = (("Muet", "error"), ("Bavard", "babble"), ("Tricheur", "cheat"))
LONG_TITLE = "Coupe de printemps du lycée Jean-Baptiste-Say, classes de seconde et de première"


@dataclass
class Furnished(Place):
    """A site with something everywhere."""

    slow: str = ""
    """Where engines take their time."""
    pages: list[tuple[str, str]] = field(default_factory=list)
    """Addresses, and who looks at them; nobody by name is a guest."""

    def look(self, path: str, *names: str) -> None:
        """Say who looks at a page."""
        self.pages += [(path, name) for name in names or ("",)]

    def posted(self, name: str, path: str, /, **fields: str) -> str:
        """Send a form as somebody; return where it leads to."""
        answer = self.visitor(name).post(path, fields)
        assert answer.status == 303, re.sub(r"<[^>]+>|\s+", " ", answer.text)[:2000]
        return answer.headers["location"]

    def competition(self, title: str, engines: Sequence[int], **fields: str) -> str:
        """Announce a competition and enter engines; return where it is."""
        said = {
            "game": "tictactoe",
            "template": "everybody",
            "clock": "4s/move",
            "listed": "1",
            "each": "20",
            "title": title,
            **fields,
        }
        where = self.posted("Oscar", "/compete/new", **said)
        for one in engines:
            self.posted("Ann", f"{where}/enter", engine=str(one))
        return where

    def until(self, where: str, stage: Stage) -> None:
        """Wait until a competition is so far."""
        number = CompetitionId(int(where.rpartition("/")[2]))
        while self.community.competitions.find(number).stage is not stage:
            time.sleep(0.05)


@contextmanager
def furnished(folder: Path) -> Iterator[Furnished]:
    """Open a site and put something into every part of it."""
    port = free_port()
    for quick in started(sys.executable, "-S", str(ENGINES / "crowd.py")):
        for slow in started(sys.executable, "-S", str(ENGINES / "crowd.py"), "0.5"):
            for example in served():
                with running(quiet(folder, registrar_port=port, house_games=2)) as site:
                    create = site.site.state.house.community.accounts.create
                    people = {name: create(name, PASSWORD, role) for name, role in PEOPLE.items()}
                    place = Furnished(site, people, quick, slow)
                    asyncio.run(_league(port))
                    _front(place)
                    _programs(place, example)
                    _competitions(place)
                    _class(place)
                    _games(place)
                    _elections(place)
                    _arcade(place)
                    _accounts(place)
                    yield place


async def _league(port: int) -> None:
    for first, second, seed in ((ANN, BOB, 1), (BOB, ANN, 2), (ANN, EVE, 3)):
        await send(port, first, white(second, seed))
        await send(port, second, black(first, seed))
    await send(port, ANN, white(BOB, 5))


def _front(place: Furnished) -> None:
    place.look("/", "", "Ann")
    for path in (
        "/about",
        "/keys",
        "/manual",
        "/manual?words=wall",
        "/manual/engines-http",
        "/manual/games/seafight",
        "/league",
        f"/league/players/{ANN}",
    ):
        place.look(path)
    place.look("/league/games/1")
    place.look(place.posted("Ann", "/league/challenges", address="127.0.0.1:9"))
    place.look("/nowhere")


def _programs(place: Furnished, example: str) -> None:
    hexapawn = {"name": "Hexapawn", "about": "Three pawns each on nine cells.", "public": "yes", "board": "222000111"}
    at = {"url" if part == "referee" else part: f"{example}/hexapawn/{part}" for part in ("referee", "engine", "interface")}
    added = place.posted("Ann", "/program/added", **hexapawn, **at)
    interface = place.community.interfaces.add(
        place.people["Ann"], game="tictactoe", name="Craie", url=f"{example}/hexapawn/interface"
    )
    for path in (
        "/program",
        "/program/directory",
        "/program/added",
        "/program/engine-test",
        "/program/interface-test",
        "/added/Hexapawn",
    ):
        place.look(path)
    place.look("/program", "Ann")
    place.look("/api")
    for path in (
        "/program/added",
        "/program/added/new",
        added,
        "/program/engines",
        "/program/engines/new",
        "/program/interfaces",
    ):
        place.look(path, "Ann")
    place.look("/program/engines", "Bob")
    place.look("/program/interfaces/new", "Ann")
    place.look(f"/program/interfaces/{interface.id}", "Ann")
    place.look("/program/engine-test?game=seafight", "Ann")


def _competitions(place: Furnished) -> None:
    quick = [place.engine("Ann", f"Q.{name}"[:20], f"play/{at}").id for at, name in enumerate(ENGINES_OF[:5])]
    quick += [place.engine("Ann", name, path).id for name, path in BROKEN]
    slow = [
        place.community.engines.add(
            place.people["Ann"], game="tictactoe", name=name, url=f"{place.slow}/play/{at}", style=Style(direct=True)
        ).id
        for at, name in enumerate(ENGINES_OF)
    ]
    over = place.competition("Coupe rapide", quick[:7], template="knockout")
    table = place.competition("Tournoi éclair", [*quick[:4], *quick[6:]])
    going = place.competition(LONG_TITLE, slow, concurrency="2")
    off = place.competition("Le tournoi qui n’eut pas lieu", quick[:2])
    entering = place.competition("Ouvert", quick[:2], draw="contestants", about="Two rounds.\n\nBring a friend.")
    for where in (over, table, going):
        place.posted("Oscar", f"{where}/steer", what="begin")
    place.posted("Oscar", f"{off}/steer", what="cancel", why="la salle est prise")
    place.until(going, Stage.RUNNING)
    place.until(over, Stage.OVER)
    place.until(table, Stage.OVER)
    place.look("/compete", "", "Oscar")
    place.look("/compete/new", "Oscar")
    place.look("/compete/yours", "Ann", "Bob")
    place.look("/compete/challenges", "Ann", "Bob")
    for where in (over, table, going, off):
        place.look(where, "")
        place.look(f"{where}/wall", "")
    place.look(entering, "", "Ann", "Oscar")
    place.look(going, "Ann", "Oscar")
    place.look(f"{entering}/change", "Oscar")
    for path in ("/rankings", "/rankings/tictactoe", "/rankings/seafight", "/rankings/tictactoe/interfaces"):
        place.look(path)
    place.look(f"/program/engines/{quick[5]}", "Ann")
    game = re.search(r"/games/[0-9a-f]{16}", place.visitor().get(table).text)
    assert game is not None
    place.look(game[0], "", "Ann")
    house, name = place.site.site.state.house, game[0].rpartition("/")[2]
    place.look(f"{game[0]}/analysis", "Ann")
    judged = analysed(house.arena.record(name).text().encode(), None, 0, house.key)
    house.community.analyses.ask(Wish("account:1", "account:1"), name, house.key.fingerprint)
    house.community.analyses.take("furnished", house.key.fingerprint)
    house.community.analyses.finish("furnished", name, judged.text())
    traced = re.search(r"/games/[0-9a-f]{16}/trace/\d", place.visitor("Ann").get(table).text)
    assert traced is not None
    place.look(traced[0], "Ann")


def _class(place: Furnished) -> None:
    made = place.community.classes.create(place.people["Tessa"], "Seconde 4, informatique")
    for pupil in ("Ann", "Bob", "Bartholomew-the-Long-Named"):
        place.community.classes.join(place.people[pupil], made.code)
    where = f"/teach/{made.id}"
    place.look("/teach", "", "Tessa", "Ann")
    place.look("/lesson", "")
    place.look(where, "Tessa", "Ann")
    for part in ("sheet", "compete", "gateway"):
        place.look(f"{where}/{part}", "Tessa")
    place.look("/handout/tictactoe")
    place.look(f"/workshop/class/{made.id}", "Tessa")
    kept = place.community.sources.save(place.people["Ann"], "reversi", "otter", "python", "def move(p):\n    return p['any']\n")
    place.look("/workshop", "", "Ann")
    place.look("/workshop/reversi", "", "Ann")
    place.look(f"/workshop/source/{kept.source}", "Ann", "Tessa")
    place.look(f"/workshop/shared/{place.community.sources.share(place.people['Ann'], kept.source)}")
    place.look("/operator/classes", "Otilia")


def _games(place: Furnished) -> None:
    place.look("/watch", "", "Ann")
    place.site.site.state.house.community.daily.add("reversi", "0" * 16, found(), today(), AHEAD)
    place.look("/puzzles")
    place.look(f"/puzzles/{today()}?move={found().move}")
    place.look("/play")
    place.look("/positions", "", "Oscar")
    place.look("/positions?game=draughts")
    for game in ("draughts", "seafight", "reversi", "poker"):
        place.look(f"/play/{game}")
    for game, two in (("seafight", "house:1"), ("reversi", "house:1"), ("draughts", "friend")):
        place.look(place.posted("Ann", "/play", game=game, one="me", two=two), "Ann")
    waiting = place.posted("Bob", "/play", game="seafight", one="me", two="friend")
    offered = place.visitor("Bob").post(f"{waiting}/invite")
    code = re.search(r"/invite/([\w-]+)", offered.text)
    assert code is not None
    place.look(f"/invite/{code[1]}", "Ann")


def _elections(place: Furnished) -> None:
    place.look("/elections")
    place.look(place.posted("", "/elections/quick", names="Ada\nBo\nZoé\nBartholomew the Long-Named"))
    place.look(place.posted("Ann", "/elections/rooms", title="Qui apporte le gâteau"), "", "Ann")


def _arcade(place: Furnished) -> None:
    closed: list[Ledger] = []
    place.site.site.state.house.arcade.closed = closed.append
    visitor = Browser(place.site.client(), "# level Difficile", "# name Ada", "# begin")
    visitor.listen()
    lead(visitor, "ruling")
    visitor.post(f"{visitor.path}/leave")
    visitor.cut()
    place.look("/arcade")
    place.look("/arcade/play/facile")
    place.look("/arcade/table/ABCDEF")
    until(lambda: closed)
    place.look(f"/arcade/records/{closed[0].call.match}")


def _accounts(place: Furnished) -> None:
    place.community.accounts.ban(place.people["Rex"], "three engines that fell silent on purpose")
    place.look(f"/reset/{place.community.accounts.start_reset(place.people['Bob'])}")
    place.look("/register")
    place.look("/login")
    place.look("/account", "Ann", "Otilia")
    place.look("/operator", "Otilia", "Ann")
    place.look("/operator/house", "Otilia")
