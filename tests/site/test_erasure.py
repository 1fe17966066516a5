"""Whoever asks to be forgotten is: in no table, in no free page, in no log of the store."""

from dataclasses import replace

import pytest
from sqlalchemy import insert, select

from arbitre.errors import ExpiredError, UnknownError, WrongPasswordError
from arbitre.games.catalogue import game
from arbitre.games.game import SECOND
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.records.tables import METADATA, TRACES
from arbitre.site.accounts import Account, Role
from arbitre.site.arena.matches import ArenaMatch, ArenaMatches
from arbitre.site.arena.plan import UNREGISTERED, EngineSeat, MatchPlan
from arbitre.site.community import Community
from arbitre.tournoyons.wire import Style
from tests.site.conftest import PASSWORD, person
from tests.site.test_competitions import CUP

WORDS = ("Wilhelmina", "bots-of-wilhelmina.example", "wilhelmina-login", "Wilhelminas", "wilhelmina@school", "wilhelmina's note")


def played(house: Community, name: str, engines: tuple[EngineSeat, EngineSeat], owner: Account, title: str = "") -> None:
    """Keep a match of two engines that is over."""
    store = Store(house.database.place)
    sittings = ArenaMatches(store)
    plan = MatchPlan(game("reversi"), engines)
    sittings.add(ArenaMatch(name, sittings.count() + 1, "over", plan, owner.id, title, hidden=False))
    store.close()


def busy_life(house: Community, account: Account, rival: Account) -> tuple[str, str, str]:
    """Let somebody do everything there is to do; return secrets that must stop to work."""
    opened = house.sessions.start(account, "wilhelmina@school")
    minted = house.tokens.make(account, "Wilhelminas script", ["read"])
    url = "http://bots-of-wilhelmina.example/reversi"
    first = house.engines.add(account, game="reversi", name="Wilhelminas-bot", url=url)
    house.engines.add(account, game="pente", name="Wilhelminas-2nd", url="http://bots-of-wilhelmina.example/pente")
    house.interfaces.add(account, game="pente", name="Wilhelminas-face", url="http://bots-of-wilhelmina.example/face")
    kept = house.sources.save(account, "reversi", "Wilhelminas-draft", "python", "# wilhelmina's note")
    house.sources.play_as(account, kept.source, first.id)
    house.photos.take(account, "wilhelmina's note", game("tictactoe"), "100020000")
    code, _ = house.invitations.offer("m1", SECOND, account)
    klass = house.classes.create(account, "Wilhelminas class")
    house.classes.join(rival, klass.code)
    cup = house.competitions.announce(account, replace(CUP, title="Wilhelminas cup", about="wilhelmina's note"))
    house.competitions.change(account, cup.id, CUP)
    house.classes.set_words(account, klass.id, "Ask at wilhelmina@school")
    house.entries.enter(account, cup.id, first.id)
    rivals = house.engines.add(rival, game="reversi", name="rival", url="http://rival.example")
    theirs = house.entries.enter(rival, cup.id, rivals.id)
    house.entries.vote(account, theirs.id)
    house.challenges.propose(account, first.id, rivals.id)
    mine = EngineSeat(first.id, first.neutral, url, Style(login="wilhelmina-login"))
    tried = EngineSeat(0, UNREGISTERED + account.neutral, "http://bots-of-wilhelmina.example/new")
    other = EngineSeat(rivals.id, rivals.neutral, rivals.url)
    played(house, "m1", (mine, other), account, "wilhelmina's note")
    played(house, "m2", (other, tried), rival)
    played(house, "m3", (mine, mine), rival)
    with house.database.writing() as connection:
        exchanged = [
            ("m2", 1, 0, tried.url),
            ("m1", 0, 0, url + "?Game=1"),
            ("m1", 0, 1, "Game=1&Login=wilhelmina-login"),
            ("m1", 1, 0, "http://rival.example"),
        ]
        for match, seat, number, text in exchanged:
            row = {"match": match, "seat": seat, "sequence": number, "at": "", "what": "called", "text": text, "status": 200}
            connection.execute(insert(TRACES).values(**row, body=""))
    return opened.token, minted.secret, code


def test_erasure_leaves_nothing_personal(house: Community, ann: Account, bob: Account, place: Place) -> None:
    lost = house.accounts.create("Wilhelmina", PASSWORD, Role.TEACHER)
    session, token, code = busy_life(house, lost, bob)
    house.erasure.erase(lost)
    assert house.sessions.find(session) is None
    assert house.tokens.find(token) is None
    with pytest.raises(ExpiredError):
        house.invitations.look(code)
    with pytest.raises(WrongPasswordError):
        house.accounts.authenticate("Wilhelmina", PASSWORD)
    with pytest.raises(UnknownError):
        house.accounts.get(lost.id)
    assert house.accounts.all() == (ann, bob)
    assert house.classes.of(bob) == ()
    (cup,) = house.competitions.all()
    assert [one.name for one in house.entries.of(cup.id, withdrawn=True)][1] == "rival"
    with house.database.reading() as connection:
        assert connection.exec_driver_sql("SELECT seat FROM traces").fetchall() == [(1,)], "the rival's trace stays"
    store = Store(house.database.place)
    sat = {name: ArenaMatches(store).find(name).plan.sitters for name in ("m1", "m2", "m3")}
    assert [[one.url for one in both if isinstance(one, EngineSeat)] for both in sat.values()] == [
        ["", "http://rival.example"],
        ["http://rival.example", ""],
        ["", ""],
    ]
    store.close()
    with house.database.reading() as connection:
        dump = "\n".join(str(row) for table in METADATA.sorted_tables for row in connection.execute(select(table))).lower()
    house.close()
    for word in WORDS:
        assert word.lower() not in dump
    if place.database:
        return  # what is left in free pages there is PostgreSQL's to clean up; the manual says so
    octets = b"".join(path.read_bytes() for path in place.folder.iterdir()).lower()
    for word in WORDS:
        assert word.lower().encode() not in octets, f"{word} is left in a free page"


def test_records_call_the_erased_by_a_neutral_name(house: Community, bob: Account) -> None:
    lost = house.accounts.create("Wilhelmina", PASSWORD)
    house.erasure.erase(lost)
    assert house.accounts.names([lost.neutral]) == {lost.neutral: lost.neutral}
    assert house.accounts.create("Wilhelmina", PASSWORD).id != lost.id, "the name is free again"
    with pytest.raises(UnknownError):
        house.erasure.erase(lost)
    with pytest.raises(UnknownError):
        house.accounts.start_reset(lost)


@pytest.mark.sqlite
def test_the_store_is_still_whole(house: Community, bob: Account, place: Place) -> None:
    lost = person(house, "Wilhelmina", Role.TEACHER)
    busy_life(house, lost, bob)
    house.erasure.erase(lost)
    if not place.database:  # PostgreSQL holds to its keys by itself
        with house.database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall() == []
            assert connection.exec_driver_sql("PRAGMA integrity_check").fetchall() == [("ok",)]
    Store(place).close()


def test_nobody_erases_the_traces_of_others(house: Community, ann: Account, bob: Account) -> None:
    """To register the start of a rival's address, or the address itself, and to be erased, takes nothing from the rival."""
    rival = house.engines.add(bob, game="reversi", name="rival", url="http://rival.example/bot")
    played(house, "m1", (EngineSeat(rival.id, rival.neutral, rival.url),) * 2, bob)
    for name, url in (("start", "http://rival.example/b"), ("same", "http://rival.example/bot")):
        house.engines.add(ann, game="reversi", name=name, url=url)
    with house.database.writing() as connection:
        called = "http://rival.example/bot?Game=1"
        row = {"match": "m1", "seat": 0, "sequence": 0, "at": "", "what": "called", "text": called, "status": 200, "body": ""}
        connection.execute(insert(TRACES).values(**row))
    house.erasure.erase(ann)
    with house.database.reading() as connection:
        assert connection.exec_driver_sql("SELECT text FROM traces").fetchall() == [(called,)]
        assert rival.url in connection.exec_driver_sql("SELECT plan FROM sittings").scalar_one()
