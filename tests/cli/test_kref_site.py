"""`arbitre kref` with the provider `site:URL` as two people use it: two machines, the file by mail, and a site that is killed.

Every step is a process of its own, and so is the site.
"""

import asyncio
import http.client
import json
import os
import signal
import sqlite3
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from arbitre.crypto.passwords import secret
from arbitre.kref.file import entry_message, read_envelope
from arbitre.kref.requests import ENTER
from arbitre.kref.sites import ask, read_at_site
from arbitre.records.heads import Heads
from arbitre.records.place import FILE
from arbitre.site.kriegspiel import renew_seal
from tests.cli.test_kref import FRENCH, Inside, Player
from tests.web.clients import Server


class Site:
    """`arbitre serve` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server = Server(folder)
        self.url = self._server.url

    def start(self) -> None:
        asyncio.run(self._server.start())

    def stop(self, how: signal.Signals) -> None:
        asyncio.run(self._server.stop(how))

    def newest(self, game: str) -> int:
        """Return the number of the newest content, as it is on disk."""
        with closing(sqlite3.connect(self.folder / FILE)) as connection:
            found = connection.execute("SELECT number FROM file_games WHERE game = ?", (game,)).fetchone()
        return int(found[0])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = Site(tmp_path_factory.mktemp("site"))
    found.start()
    yield found
    found.stop(signal.SIGKILL)


def begin(site: Site, white: Player, black: Player) -> None:
    called = black.says("new", "--hashing", "light", "--player", "Bob", "--sealing", f"site:{site.url}")
    assert (called["status"], called["site"]) == ("waiting", site.url)
    black.send(white, 1)
    assert white.says("white", "--player", "Ada")["to_move"] == "white"


def test_a_game_by_mail_at_a_site(site: Site, tmp_path: Path) -> None:
    white, black = Player(tmp_path / "white", "open"), Player(tmp_path / "black", "sesame")
    begin(site, white, black)
    rulings = white.says("try", "e2d3", "f2f3")["rulings"]
    assert [(one["try"], one["made"], one["heard"]) for one in rulings] == [("e2d3", False, ["wnp"]), ("f2f3", True, ["bm0"])]
    white.send(black, 2)
    shown = black.run("show", "--password-file", "password", PYTHONIOENCODING="utf-8").stdout
    assert "…     ✓" in shown
    assert "f2f3" not in shown
    black.says("try", "e7e5")
    black.send(white, 3)
    assert white.says("resign")["status"] == "resigned"
    assert not set(white.says("show")["board"]) & set("pnbrqk")
    white.send(black, 4)
    assert set(black.says("acknowledge")["board"]) >= set("pP")
    black.send(white, 5)
    verified = white.run("verify")
    assert "the referee was right: 3 rulings, 1 of them refusals, all confirmed" in verified.stdout
    assert "e5" in white.run("replay", "--password-file", "password", "--pgn").stdout


def test_everything_is_said_in_both_languages(site: Site, tmp_path: Path) -> None:
    white, black = Inside(tmp_path / "white", "open"), Inside(tmp_path / "black", "sesame")
    mine = ("--password-file", "password")
    said = black.run("new", *mine, "--hashing", "light", "--sealing", f"site:{site.url}", **FRENCH)
    assert "arbitre cette partie, et lui seul ouvre le fichier" in said.stderr
    black.send(white, 1)
    assert "judges this game, and alone opens its file" in white.run("white", *mine).stderr
    copy = (white.home / "game.ksg").read_text()
    white.says("try", "e2d3")
    assert "c’est la parole de" in white.run("verify", **FRENCH).stdout
    assert white.call("list").stdout.endswith("White to move\n")
    (white.home / "wrong").write_text("wrong\n")
    wrong = white.run("show", "--password-file", "wrong", **FRENCH)
    assert (wrong.returncode, wrong.stderr) == (1, "arbitre: erreur : mauvais mot de passe\n")
    (white.home / "game.ksg").write_text(copy)
    old = white.run("try", "e2e4", *mine, **FRENCH)
    assert old.returncode == 1
    assert "n’est pas le plus récent de sa partie" in old.stderr
    assert "Traceback" not in old.stderr
    offline = Inside(tmp_path / "offline", "x")
    away = offline.run("new", *mine, "--hashing", "light", "--sealing", "site:http://127.0.0.1:9", **FRENCH)
    assert (away.returncode, away.stderr) == (
        1,
        "arbitre: erreur : http://127.0.0.1:9 est injoignable : la connexion a été refusée\n",
    )
    named = offline.run("new", *mine, "--sealing", "site:arbitre.example")
    assert (named.returncode, "a site is named by its address" in named.stderr) == (1, True)


def request(site: Site, player: Player, password: str, entry: str) -> tuple[str, dict[str, object]]:
    """Return the game, and the request by which a player enters something from his file."""
    envelope = read_envelope((player.home / "game.ksg").read_text())
    standing = read_at_site(envelope, Heads(player.home / "unused")).standing()
    made = secret(password, bytes.fromhex(standing.salt), standing.work)
    sign = made.sign(entry_message(site.url, standing.game, standing.head, entry)).hex()
    return standing.game, {"file": envelope.text(), "entry": entry, "sign": sign}


def test_a_site_that_is_killed_between_commit_and_answer(site: Site, tmp_path: Path) -> None:
    """The new content is on disk, and nobody was told: after the restart the same request has the same answer, and no other."""
    white, black = Inside(tmp_path / "white", "open"), Inside(tmp_path / "black", "sesame")
    begin(site, white, black)
    game, body = request(site, white, "open", "0t:e2d3")
    _, other = request(site, white, "open", "0t:e2e4")
    before = site.newest(game)
    parts = urlsplit(site.url)
    line = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    line.request("POST", ENTER, json.dumps(body), {"Content-Type": "application/json"})
    while site.newest(game) == before:
        os.sched_yield()
    site.stop(signal.SIGKILL)
    line.close()  # whatever was on its way is lost
    assert site.newest(game) == before + 1
    site.start()
    answer = ask(site.url, ENTER, body)
    assert answer["ruling"] == {"tried": "e2d3", "made": False, "said": "wnp"}
    assert ask(site.url, ENTER, body) == answer
    assert site.newest(game) == before + 1
    with pytest.raises(Exception, match="not the newest"):
        ask(site.url, ENTER, other)


def key_number(player: Player) -> int:
    """Return by which of the site's keys a player's file is sealed."""
    return int.from_bytes(b64decode(read_envelope((player.home / "game.ksg").read_text()).sealed)[:4], "big")


def test_a_player_whose_site_was_away_goes_on(site: Site, tmp_path: Path) -> None:
    """The try was sent, and the site was gone: the next command finds out what became of it, before it does anything else."""
    white, black = Inside(tmp_path / "white", "open"), Inside(tmp_path / "black", "sesame")
    begin(site, white, black)
    game, body = request(site, white, "open", "0t:e2d3")
    Heads(white.home / "state" / "arbitre").promise(game, json.dumps(body))
    ask(site.url, ENTER, body)
    site.stop(signal.SIGKILL)
    gone = white.run("show", "--password-file", "password")
    assert (gone.returncode, gone.stderr) == (1, f"arbitre: error: {site.url} cannot be reached: the connection was refused\n")
    (listed,) = json.loads(white.call("list", "--json").stdout)
    assert listed["status"] == "unreached"
    assert renew_seal(site.folder) == 2
    site.start()
    assert key_number(white) == 1
    seen = white.says("try", "e2e4")
    assert key_number(white) == 2, "the new key seals, and the old one still opens"
    assert [(one["try"], one["made"]) for one in seen["log"] if one["try"]] == [("e2d3", False), ("e2e4", True)]
