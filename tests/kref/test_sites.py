"""Kriegspiel by file at a site: only the site opens the file, nobody tries twice from one, and nobody sees what is the other's.

A real site on a real socket, real requests; the cheat holds every file that he was ever sent.
"""

import json
import re
import resource
import shutil
import sqlite3
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from arbitre.crypto.passwords import LIGHT, Secret, secret
from arbitre.crypto.sealing import Held, Published, provider
from arbitre.errors import ArbitreError, GameFileError, GameStageError, PasswordError, SealingError, SiteError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.kriegspiel.announcements import code
from arbitre.games.kriegspiel.rules import Kriegspiel, Sight
from arbitre.kref import sites
from arbitre.kref.court import GAMES
from arbitre.kref.desk import Desk
from arbitre.kref.file import canonical, entry_message, read_envelope
from arbitre.kref.game import Seated, call_game, read_game
from arbitre.kref.proof import prove
from arbitre.kref.requests import ENTER, MOST_ENTRIES, SHOW, show_message
from arbitre.kref.sites import SiteSeated, ask
from arbitre.kref.standing import Player, read_standing
from arbitre.reasons import Reason
from arbitre.records.place import FILE
from arbitre.referee.verify import Proof
from arbitre.site.kriegspiel import renew_seal, site_seal
from tests.kref.mail import mangle, relabel
from tests.reasons import raises
from tests.web.site import Running, quiet, running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(quiet(tmp_path_factory.mktemp("site"))) as found:
        yield found


class Machine:
    """A player's computer, with the file and the password."""

    def __init__(self, home: Path, password: str) -> None:
        home.mkdir(parents=True)
        self.path = home / "game.ksg"
        self.password = password
        self.desk = Desk(self.path, home / "state", home / "commands", lambda _: None)

    def login(self) -> Player:
        with self.desk.opened() as game:
            return self.desk.login(game, self.password)

    def attempt(self, *tries: str) -> list[str]:
        """Try moves in turn; return what was heard."""
        heard = []
        for text in tries:
            seated, ruling = self.login().attempt(text)
            self.desk.save(seated)
            heard.append(",".join(map(code, ruling.said)))
        return heard

    def does(self, what: str) -> Player:
        after: Player = getattr(self.login(), what)()
        self.desk.save(after)
        return after

    @property
    def text(self) -> str:
        return self.path.read_text()

    def send(self, other: "Machine", seed: int = 1) -> None:
        other.path.write_text(mangle(self.text, Random(seed)), newline="")


def begin(url: str, home: Path, **options: object) -> tuple[Machine, Machine]:
    """Return White's machine and Black's, with White seated and to move."""
    white, black = Machine(home / "w", "white"), Machine(home / "b", "black")
    black.desk.call("game", "Bob", "black", f"site:{url}", options=options, work=LIGHT)
    black.send(white)
    with white.desk.opened() as game:
        white.desk.join(game, "Ada", "white")
    return white, black


@pytest.fixture
def pair(site: Running, tmp_path: Path) -> tuple[Machine, Machine]:
    return begin(site.url, tmp_path)


def play(pair: tuple[Machine, Machine], *tries: str) -> None:
    """Play moves that are all made; the file goes to and fro."""
    for number, text in enumerate(tries):
        mover, other = pair[number % 2], pair[1 - number % 2]
        mover.attempt(text)
        mover.send(other, number)


def hand(standing: Any, password: str) -> Secret:
    return secret(password, bytes.fromhex(standing.salt), standing.work)


def request_of(machine: Machine, entry: str, password: str = "") -> dict[str, object]:
    """Return the request by which a player enters something from the file on his machine."""
    seated = machine.login()
    assert isinstance(seated, SiteSeated)
    standing = seated.standing
    message = entry_message(standing.site, standing.game, standing.head, entry)
    sign = hand(standing, password or machine.password).sign(message)
    return {"file": seated.text(), "entry": entry, "sign": sign.hex()}


# ── the course of a game ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_game_to_mate_and_its_proof_without_the_site(pair: tuple[Machine, Machine]) -> None:
    white, black = pair
    assert white.attempt("e2d3", "e2e5", "f2f3") == ["wnp", "wil", "bm0"]
    white.send(black)
    assert black.attempt("e7e5") == ["wm0"]
    black.send(white)
    white.attempt("g2g4")
    white.send(black)
    assert black.text.count("site:") == 1
    black.attempt("d8h4")
    black.send(white)
    for machine in pair:
        file = read_game(machine.text, provider)
        assert file.provider == "default", "nothing is left to hide: the file is opened without the site"
        assert file.verdict is not None
        assert prove(file) == (6, 2)
        over = machine.login()
        assert isinstance(over, Seated)
        assert over.standing.open


def test_nobody_enters_anything_in_a_players_name(pair: tuple[Machine, Machine]) -> None:
    """The finished file has the players' own signatures under everything, and the site had no password."""
    play(pair, "f2f3", "e7e5", "g2g4", "d8h4")
    file = read_game(pair[0].text, provider)
    changed = replace(file.body, log=(*file.body.log[:2], "0t:e2e4", *file.body.log[3:]))
    forged = replace(file, body=changed).text()
    with raises(GameFileError, "s signature does not fit what"):
        read_game(forged, provider)


def test_the_resigner_sees_the_board_from_the_returned_file(pair: tuple[Machine, Machine]) -> None:
    white, black = pair
    play(pair, "e2e4")
    resigned = black.does("resign")
    assert resigned.standing.verdict is not None
    assert not resigned.standing.open
    assert isinstance(resigned.standing.view, Sight)
    with raises(GameStageError, "only the other player acknowledges"):
        black.login().acknowledge()
    black.send(white)
    opened = white.does("acknowledge")
    assert opened.standing.open
    white.send(black)
    assert black.login().standing.open
    assert prove(read_game(black.text, provider)) == (1, 0)


def test_a_draw_is_agreed_on_and_the_referee_accused(site: Running, tmp_path: Path) -> None:
    pair = begin(site.url, tmp_path)
    assert pair[0].attempt("draw", "e2e4") == ["wof", "bm0"]
    pair[0].send(pair[1])
    pair[1].attempt("draw")
    assert read_game(pair[1].text, provider).open
    again = begin(site.url, tmp_path / "again")
    seated = again[0].login().resign(accuse=True)
    assert seated.standing.verdict is not None
    assert seated.standing.verdict.reason.code == "accused-referee"


def test_steps_that_are_not_due(pair: tuple[Machine, Machine], site: Running, tmp_path: Path) -> None:
    white, black = pair
    white.send(black)
    with raises(GameStageError, "%(colour)s is to move", colour="White"):
        black.login().attempt("e7e5")
    with raises(GameStageError, "no resignation to acknowledge"):
        white.login().acknowledge()
    with raises(GameStageError, "White has a password in this game already"), black.desk.opened() as game:
        black.desk.join(game, "Eve", "eve")
    with raises(GameStageError, "this game is classic"):
        white.login().plan(["e2e4"])
    with raises(GameStageError, "leave --mode planned out"):
        Machine(tmp_path / "p", "p").desk.call("g", "B", "p", f"site:{site.url}", "planned", work=LIGHT)
    # the same by whoever writes his own program: the site refuses
    for machine, entry, status in ((black, "1t:e7e5", 400), (white, "0a", 400), (white, "0j", 400), (white, "0p:e2e4", 400)):
        with pytest.raises((SiteError, GameFileError)) as caught:
            ask(site.url, ENTER, request_of(machine, entry))
        assert getattr(caught.value, "status", status) == status, caught.value


@contextmanager
def full_disk() -> Iterator[None]:
    """Let this process, in which the site is, write to no file; SQLite is told by the system, as on a disk without room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_on_a_full_disk_nothing_is_judged_and_nothing_lost(pair: tuple[Machine, Machine], site: Running) -> None:
    """A try that was not written down was not judged; sent again when there is room it is answered, once."""
    white, _ = pair
    wish = request_of(white, "0t:e2e4")
    with full_disk(), pytest.raises(SiteError) as caught:
        ask(site.url, ENTER, wish)
    assert caught.value.status == 503
    answer = ask(site.url, ENTER, wish)
    assert ask(site.url, ENTER, wish) == answer, "the same request has the same answer"
    with raises(GameFileError, "file-not-newest"):
        white.login()


def test_guesses_stay_on_the_players_machine(pair: tuple[Machine, Machine]) -> None:
    white, black = pair
    before = white.text
    seated = white.login().guess({"e5": "q"})
    white.desk.save(seated)
    assert white.login().guesses[28] == "q"
    assert read_envelope(white.text) == read_envelope(before), "the other's copy of the file stays the newest"
    white.send(black)
    assert black.login().guesses == "0" * 64


def test_a_long_game_by_mail(pair: tuple[Machine, Machine]) -> None:
    random, rules = Random(3), Kriegspiel()
    for ply in range(8):
        mover, other = pair[ply % 2], pair[1 - ply % 2]
        while True:
            seated = mover.login()
            assert seated.standing.view is not None
            after, ruling = seated.attempt(rules.sample(seated.standing.view, random).uci())
            mover.desk.save(after)
            if ruling.made:
                break
        mover.send(other, ply)
    assert pair[0].login().standing.ply == 8


def test_verify_knows_a_file_that_only_a_site_opens(pair: tuple[Machine, Machine]) -> None:
    """Whoever has only the file is told that it is not over; afterwards it proves itself."""
    going = GAMES.check(BytesIO(pair[0].text.encode()), (), None)
    assert going.standing is Proof.INCOMPLETE
    play(pair, "f2f3", "e7e5", "g2g4", "d8h4")
    over = GAMES.check(BytesIO(pair[0].text.encode()), (), None)
    assert over.standing is Proof.INTACT, over.line


def test_a_crash_after_the_last_answer_was_saved(pair: tuple[Machine, Machine]) -> None:
    """The file is on disk, the request not yet forgotten: while the game goes on, and when it is over."""
    white, black = pair
    request = canonical(request_of(white, "0t:f2f3"))
    game = read_envelope(white.text).game
    white.attempt("f2f3")
    white.desk.heads.promise(game, request)
    assert white.login().standing.ply == 1
    white.send(black)
    play((black, white), "e7e5", "g2g4", "d8h4")
    black.desk.heads.promise(game, request)
    assert black.login().standing.open
    assert not black.desk.heads.promised(game)


# ── attacks ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_older_file_is_refused(pair: tuple[Machine, Machine]) -> None:
    """Of this turn, to try again, and of an earlier one: on any machine, whatever that machine remembers."""
    white, black = pair
    copy = white.text
    white.attempt("e2d3")
    newer = white.text
    shutil.rmtree(white.path.parent / "state")
    white.path.write_text(copy)
    with raises(GameFileError, "file-not-newest"):
        white.login()
    white.path.write_text(newer)
    white.attempt("e2e4")
    white.send(black)
    black.attempt("e7e5")
    black.path.write_text(copy)
    with raises(GameFileError, "file-not-newest"):
        black.login()


def test_two_tries_from_one_file(pair: tuple[Machine, Machine], site: Running) -> None:
    """The second is refused without a word about the board; the first, word for word, is answered as before."""
    white, _ = pair
    one, two = request_of(white, "0t:e2d3"), request_of(white, "0t:e2e4")
    first = ask(site.url, ENTER, one)
    with raises(GameFileError, "file-not-newest"):
        ask(site.url, ENTER, two)
    assert ask(site.url, ENTER, one) == first
    assert canonical(ask(site.url, ENTER, one)) == canonical(first)


def test_of_many_at_once_one_is_answered(pair: tuple[Machine, Machine], site: Running) -> None:
    """However many programs try from one file in the same moment, one content becomes the newest."""
    white, _ = pair
    requests = [request_of(white, f"0t:{text}") for text in ("a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3")]
    answers: list[str] = []
    ready = threading.Barrier(len(requests))

    def go(request: dict[str, object]) -> None:
        ready.wait()
        try:
            answers.append(str(ask(site.url, ENTER, request)["file"]))
        except ArbitreError:
            answers.append("")

    threads = [threading.Thread(target=go, args=(one,)) for one in requests]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(answers) == len(requests)
    assert sum(map(bool, answers)) == 1


def test_a_file_of_another_game_or_a_forged_one(pair: tuple[Machine, Machine], site: Running, tmp_path: Path) -> None:
    white, _ = pair
    other, _ = begin(site.url, tmp_path / "other")
    here, there = read_envelope(white.text), read_envelope(other.text)
    sealed = b64decode(here.sealed)
    flipped = b64encode(sealed[:-1] + bytes([sealed[-1] ^ 1])).decode()
    unknown_key = b64encode((7).to_bytes(4, "big") + sealed[4:]).decode()
    mine = Held({1: b"m" * 32})
    body = call_game("mine", "Eve", "eve", here.provider, mine, work=LIGHT, date="2026-11-16").file
    for forged in (
        relabel(white.text, sealed=there.sealed),
        relabel(white.text, game=there.game),
        relabel(white.text, ply=7),
        relabel(white.text, previous="00" * 32),
        relabel(white.text, sealed=flipped),
        relabel(white.text, sealed=unknown_key),
        relabel(white.text, sealed=Published().encrypt(Published().get_key(), "x", here.about)),
        relabel(white.text, sealed=""),
        body.text(),
    ):
        for what, more in ((SHOW, {}), (ENTER, {"entry": "0t:e2e4", "sign": "00" * 64})):
            with raises(GameFileError, "file-not-ours"):
                ask(site.url, what, {"file": forged, **more})
    with raises(GameFileError, "file-other-site", public=site.url):
        ask(site.url, SHOW, {"file": relabel(white.text, provider="default")})
    for broken in ("", "x", white.text[:900]):
        with pytest.raises(SiteError) as caught:
            ask(site.url, SHOW, {"file": broken})
        assert caught.value.status == 400
    white.path.write_text(other.text)
    with raises(GameFileError, "a file of another game"):
        white.login()


def test_a_try_signed_by_somebody_else(pair: tuple[Machine, Machine], site: Running) -> None:
    white, black = pair
    white.send(black)
    for request in (
        request_of(white, "0t:e2e4", "guess"),
        request_of(black, "0t:e2e4"),
        {**request_of(white, "0t:e2e4"), "entry": "0t:d2d4"},
    ):
        with raises(PasswordError, "file-wrong-password"):
            ask(site.url, ENTER, request)
    white.attempt("e2e4")


def test_a_site_in_the_middle_is_of_no_use(pair: tuple[Machine, Machine], site: Running) -> None:
    """What a player signs names the site that he asks: another that passes it on is refused."""
    white, _ = pair
    standing = white.login().standing
    elsewhere = hand(standing, "white").sign(show_message("https://evil.example", standing.game, standing.head))
    with raises(PasswordError, "file-wrong-password"):
        ask(site.url, SHOW, {"file": read_envelope(white.text).text(), "sign": elsewhere.hex()})
    with raises(GameFileError, "file-other-site", public=site.url):
        ask(site.url, SHOW, {"file": relabel(white.text, provider="site:https://evil.example")})
    white.path.write_text(relabel(white.text, provider="site:http://127.0.0.1:9"))
    with raises(GameFileError, "names another site"):
        white.login()


def test_a_game_is_called_under_the_sites_own_name(site: Running, tmp_path: Path) -> None:
    url = site.url.replace("127.0.0.1", "localhost")
    with raises(GameFileError, "file-other-site", public=site.url):
        Machine(tmp_path / "b", "b").desk.call("g", "Bob", "b", f"site:{url}", work=LIGHT)


def test_a_file_that_feigns_a_site(pair: tuple[Machine, Machine]) -> None:
    """Whoever seals a game of a site's with the published key before it is over finds nobody who plays on."""
    play(pair, "f2f3", "e7e5", "g2g4", "d8h4")
    file = read_game(pair[0].text, provider)
    cut = replace(file, body=replace(file.body, log=file.body.log[:2], marks=(file.body.marks[0], file.body.marks[1])))
    with pytest.raises(GameFileError):
        read_game(cut.text(), provider)
    begun = call_game("x", "Bob", "b", "default", Published(), work=LIGHT, date="2026-11-16").file
    feigned = begun.call._replace(site="https://arbitre.example")
    text = replace(begun, call=feigned, body=replace(begun.body, log=(feigned.text(),))).text()
    with pytest.raises(GameFileError):
        read_game(text, provider)


def test_white_cannot_take_blacks_password(site: Running, tmp_path: Path) -> None:
    white, black = Machine(tmp_path / "w", "black"), Machine(tmp_path / "b", "black")
    black.desk.call("game", "Bob", "black", f"site:{site.url}", work=LIGHT)
    black.send(white)
    with raises(PasswordError, "file-shared-password"), white.desk.opened() as game:
        white.desk.join(game, "Ada", "black")
    with raises(GameStageError, "White has no password yet"), white.desk.opened() as game:
        white.desk.login(game, "x", FIRST)
    assert black.login().seat == SECOND


def test_wrong_passwords_are_slowed(tmp_path: Path) -> None:
    with running(quiet(tmp_path / "data")) as site:
        white, _ = begin(site.url, tmp_path)
        text, standing = read_envelope(white.text).text(), white.login().standing
        message = show_message(standing.site, standing.game, standing.head)
        answers = []
        for number in range(12):
            with pytest.raises(ArbitreError) as caught:
                ask(site.url, SHOW, {"file": text, "sign": hand(standing, f"guess {number}").sign(message).hex()})
            answers.append(getattr(caught.value, "status", 403))
        assert answers == [403] * 10 + [429] * 2
        with pytest.raises(SiteError) as caught:  # the right one too, from the same address: it has to wait
            ask(site.url, SHOW, {"file": text, "sign": hand(standing, "white").sign(message).hex()})
        assert caught.value.status == 429
        assert ask(site.url, SHOW, {"file": text})["seat"] is None, "what everybody knows is told all the same"


def test_a_game_does_not_go_on_for_ever(pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    white, _ = pair
    monkeypatch.setattr("arbitre.site.kriegspiel.MOST_ENTRIES", 4)
    white.attempt("e2d3", "e2d3")
    with raises(GameFileError, "file-too-many-tries", most=4):
        white.attempt("e2d3")
    assert white.does("resign").standing.status == "resigned"
    assert MOST_ENTRIES > 1_000


# ── keys, backups, crashes ─────────────────────────────────────────────────────────────────────────────────────────


def key_number(text: str) -> int:
    return int.from_bytes(b64decode(read_envelope(text).sealed)[:4], "big")


def test_keys_are_renewed_and_the_old_ones_still_open(tmp_path: Path) -> None:
    assert [site_seal(tmp_path).get_key(), renew_seal(tmp_path), site_seal(tmp_path).get_key()] == [1, 2, 2]
    assert (tmp_path / "kriegspiel-2.key").stat().st_mode & 0o777 == 0o600
    old, both = Held({1: b"1" * 32}), Held({1: b"1" * 32, 2: b"2" * 32})
    about = f"2#{'ab' * 16}#0#{'0' * 64}"
    sealed = old.encrypt(old.get_key(), "clear", about)
    assert both.decrypt(both.get_key(), sealed, about) == "clear"
    newer = both.encrypt(both.get_key(), "clear", about)
    assert b64decode(newer)[:4] == (2).to_bytes(4, "big")
    with raises(SealingError, "no key has the number"):
        old.decrypt(1, newer, about)
    renumbered = b64encode((2).to_bytes(4, "big") + b64decode(sealed)[4:]).decode()
    with raises(SealingError, "the seal is broken"):
        both.decrypt(2, renumbered, about)
    with raises(SealingError, "the seal is broken"):
        both.decrypt(2, newer, about.replace("ab", "cd"))
    with raises(SealingError, "the seal is broken"):
        both.decrypt(2, newer, f"3{about[1:]}")


def test_after_a_restored_backup_the_newer_file_counts(pair: tuple[Machine, Machine], site: Running) -> None:
    """The site forgets what came after the backup; the newest file brings it up to date, and from then on older ones are old."""
    white, black = pair
    copy = white.text
    game = read_envelope(copy).game
    database = site.settings.data / FILE
    with closing(sqlite3.connect(database)) as connection:
        kept = connection.execute("SELECT number, content, request FROM file_games WHERE game = ?", (game,)).fetchone()
    white.attempt("e2d3", "e2e4")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE file_games SET number = ?, content = ?, request = ? WHERE game = ?", (*kept, game))
    white.send(black)
    black.attempt("e7e5")
    white.path.write_text(copy)
    with raises(GameFileError, "file-not-newest"):
        white.login()
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM file_games WHERE game = ?", (game,))
    black.send(white)
    assert white.login().standing.ply == 2


def test_a_lost_answer_is_asked_for_again(pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    """The site has taken the try, and the line broke: the next command says the same words again, whatever it was to do."""
    white, _ = pair
    seated = white.login()
    real, asked = sites._ask, []

    async def cut(site: str, what: str, octets: bytes) -> dict[str, object]:
        asked.append(octets)
        answer = await real(site, what, octets)
        if len(asked) == 1:
            raise SiteError("%(site)s hung up before it had answered", site=site)
        return answer

    monkeypatch.setattr(sites, "_ask", cut)
    with raises(SiteError, "hung up before it had answered"):
        seated.attempt("e2d3")
    again = white.login()
    assert json.loads(asked[1]) == json.loads(asked[0])
    assert [line.tried for line in again.standing.log] == ["", "e2d3"]
    assert white.attempt("e2e4") == ["bm0"]
    assert not list(white.path.parent.glob("state/kref/*.request"))


def test_a_request_that_never_arrived_is_dropped_when_another_file_comes(pair: tuple[Machine, Machine]) -> None:
    white, _ = pair
    request = request_of(white, "0t:e2e4")
    game = read_envelope(white.text).game
    white.desk.heads.promise(game, canonical({**request, "sign": "00" * 64}))
    assert white.login().standing.ply == 0, "the site refuses it, so it is forgotten"
    assert not white.desk.heads.promised(game)


# ── secrecy ────────────────────────────────────────────────────────────────────────────────────────────────────────


def told(machine: Machine, site: Running) -> dict[str, object]:
    """Return all that a player's program receives, but for what is random in every game."""
    standing = machine.login().standing
    message = show_message(standing.site, standing.game, standing.head)
    body = {"file": read_envelope(machine.text).text(), "sign": hand(standing, machine.password).sign(message).hex()}
    answer = ask(site.url, SHOW, body)
    assert re.fullmatch("[0-9a-f]{64}", str(answer.pop("head")))
    return {name: one for name, one in answer.items() if name not in ("game", "salt")}


def test_a_player_receives_nothing_of_the_others(site: Running, tmp_path: Path) -> None:
    """Games that sound alike are told alike, to the octet, whatever the other side has done; so are the sizes of the files."""
    seen, sizes, public = [], set(), []
    for number, hidden in enumerate((["b8c6"], ["g8f6"], ["a7a5"], ["h7h6"])):
        white, black = begin(site.url, tmp_path / str(number), refusals="mover")
        white.attempt("e2e4")
        white.send(black)
        black.attempt(*["a8a1"] * number, *hidden)
        black.send(white)
        seen.append(told(white, site))
        sizes.add(len(read_envelope(white.text).sealed))
        public.append({**ask(site.url, SHOW, {"file": read_envelope(white.text).text()}), "head": "", "game": "", "salt": ""})
        for text in hidden:
            assert text not in json.dumps(seen[-1])
    assert all(one == seen[0] for one in seen)
    assert all(one == public[0] for one in public)
    assert public[0]["view"] is None
    assert len(sizes) == 1


def test_what_is_sealed_has_steps_of_four_kibibytes(pair: tuple[Machine, Machine]) -> None:
    sealed = b64decode(read_envelope(pair[0].text).sealed)
    assert (len(sealed) - 4 - 24 - 16) % 4_096 == 0
    assert key_number(pair[0].text) == 1


def test_the_site_never_hears_a_password(site: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[bytes] = []
    real = sites._ask

    async def listening(url: str, what: str, octets: bytes) -> dict[str, object]:
        said.append(octets)
        return await real(url, what, octets)

    monkeypatch.setattr(sites, "_ask", listening)
    white, black = begin(site.url, tmp_path)
    white.attempt("e2d3", "e2e4")
    assert len(said) > 6
    for machine in (white, black):
        assert not [one for one in said if f'"{machine.password}"'.encode() in one]
    for seat, password in ((FIRST, "white"), (SECOND, "black")):
        made = hand(white.login().standing, password)
        assert not [one for one in said if bytes(made.key._key).hex().encode() in one], seat


def test_a_site_that_ends_another_game(pair: tuple[Machine, Machine], site: Running, tmp_path: Path) -> None:
    """A finished file must hold what was played here, under one's own key: another game, or another course of it, is named."""
    seated = pair[0].login()
    assert isinstance(seated, SiteSeated)
    answers = []
    for other in (begin(site.url, tmp_path / "x"), pair):
        play(other, "f2f3", "e7e5", "g2g4")
        answers.append(ask(site.url, ENTER, request_of(other[1], "1t:d8h4")))
    with raises(SiteError, "answers with a file of another game"):
        seated.game.after({**answers[0], "seat": 0}, seated.secret)
    over = seated.game.after({**answers[1], "seat": 0}, seated.secret)
    assert over.standing.open
    elsewhere = replace(seated.game, public=replace(seated.standing, head="00" * 32))
    for game, hand_, seat in (
        (elsewhere, seated.secret, 0),
        (seated.game, hand(seated.standing, "guess"), 0),
        (seated.game, seated.secret, 1),
    ):
        with raises(SiteError, "ends another game than the one that was played here"):
            game.after({**answers[1], "seat": seat}, hand_)


# ── a site that is hostile, or none ────────────────────────────────────────────────────────────────────────────────


class Hostile(BaseHTTPRequestHandler):
    """Answers with what it is told to."""

    answer: ClassVar[tuple[int, dict[str, str], bytes]] = (200, {}, b"")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        status, headers, body = self.answer
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):  # it was too long for the other end
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def hostile() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Hostile)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


DEEP = b"[" * 100_000
ANSWERS: dict[str, tuple[int, dict[str, str], bytes, str | Reason]] = {
    "nothing": (200, {}, b"", "not as a site of Arbitre does"),
    "a page": (200, {}, b"<html>", "not as a site of Arbitre does"),
    "a list": (200, {}, b"[]", "not as a site of Arbitre does"),
    "nested": (200, {}, DEEP, "not as a site of Arbitre does"),
    "huge": (200, {}, b'{"file":"' + b"x" * (5 << 20) + b'"}', "not as a site of Arbitre does"),
    "elsewhere": (307, {"Location": "http://127.0.0.1:9/"}, b"{}", "sends us elsewhere"),
    "an empty object": (200, {}, b"{}", "is not in form"),
    "a failure": (500, {}, b'{"error":"oh\\u001b[2J"}', Reason("refuses (%(code)s)", code=500, text="oh [2J")),
    "a refusal": (
        400,
        {},
        b'{"error":"no","code":"file-other-site","fields":{"public":"\\u001b[2J"}}',
        Reason("file-other-site", public=" [2J"),
    ),
    "half a refusal": (400, {}, b'{"error":"no","code":"file-other-site","fields":{}}', "refuses without saying why"),
    "odd fields": (400, {}, b'{"error":"no","code":"file-not-newest","fields":[1]}', "file-not-newest"),
}


@pytest.mark.parametrize("which", ANSWERS)
def test_what_a_hostile_site_answers_is_named_in_one_line(hostile: str, tmp_path: Path, which: str) -> None:
    status, headers, body, why = ANSWERS[which]
    Hostile.answer = (status, headers, body)
    with raises(ArbitreError, why) as caught:
        Machine(tmp_path / "m", "m").desk.call("g", "Bob", "m", f"site:{hostile}", work=LIGHT)
    assert str(caught.value).isprintable()
    assert not (tmp_path / "m" / "game.ksg").exists()


GOOD = {
    "game": "ab" * 16, "name": "g", "mode": "classic", "options": {}, "site": "", "date": "2026-11-16", "white": "Ada",
    "black": "Bob", "ply": 0, "mover": 0, "verdict": None, "begun": True, "open": False, "unacknowledged": [],
    "head": "cd" * 32, "salt": "ef" * 16, "work": [1, 8], "seat": 0, "view": f"{'0' * 56}RNBQKBNR w KQ wm0 - 1",
    "log": [{"turn": 1, "seat": 0, "begins": True, "tried": "", "made": False, "said": "wm0", "square": ""}],
}  # fmt: skip
BAD: tuple[dict[str, object], ...] = (
    {"game": "x"}, {"name": "\x1b[2J"}, {"name": ""}, {"name": "x" * 81}, {"mode": "server"}, {"options": []},
    {"options": {"x": 1}}, {"date": "today"}, {"white": None}, {"ply": -1}, {"ply": True}, {"ply": 2**40}, {"mover": 2},
    {"mover": "0"}, {"verdict": "{}"}, {"begun": 1},
    {"open": None}, {"unacknowledged": [9]}, {"unacknowledged": 1}, {"head": "cd"}, {"salt": "zz" * 16},
    {"work": [1]}, {"work": [16, 1 << 22]}, {"work": "18"}, {"seat": -1}, {"view": "x"}, {"view": 1}, {"log": None},
    {"log": [{}]}, {"log": [1]}, {"log": ["x"] * 30_000},
    {"log": [{"turn": 1, "seat": 0, "begins": True, "tried": "\x1b", "made": False, "said": "", "square": ""}]},
)  # fmt: skip


@pytest.mark.parametrize("wrong", BAD, ids=lambda one: f"{next(iter(one))} {str(next(iter(one.values())))[:12]!r}")
def test_a_standing_that_no_site_tells(wrong: dict[str, object]) -> None:
    assert read_standing(GOOD).fields() == GOOD
    with raises(SiteError, "what the site says of the game is not in form"):
        read_standing({**GOOD, **wrong})
    missing = {name: one for name, one in GOOD.items() if name not in wrong}
    with raises(SiteError, "what the site says of the game is not in form"):
        read_standing(missing)


def test_a_site_that_is_not_there(tmp_path: Path, pair: tuple[Machine, Machine]) -> None:
    machine = Machine(tmp_path / "m", "m")
    with raises(SiteError, "%(site)s cannot be reached: %(why)s", site="http://127.0.0.1:9"):
        machine.desk.call("g", "Bob", "m", "site:http://127.0.0.1:9", work=LIGHT)
    machine.path.write_text(relabel(pair[0].text, provider="site:http://127.0.0.1:9"))
    with raises(SiteError, "cannot be reached"):
        machine.login()
    for name in ("site:", "site:ftp://x", "site:https://X.example", "site:https://x.example/", "site:https://u:p@x"):
        with raises(SealingError, "a site is named by its address"):
            Machine(tmp_path / name.replace("/", "_"), "m").desk.call("g", "Bob", "m", name, work=LIGHT)


def test_a_file_at_a_site_survives_the_mail(pair: tuple[Machine, Machine]) -> None:
    text = pair[0].text
    for seed in range(20):
        assert read_envelope(mangle(text, Random(seed))) == read_envelope(text)
    with raises(SealingError, "only %(site)s opens this game: ask it with arbitre kref"):
        provider(read_envelope(text).provider)
