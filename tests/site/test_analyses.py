"""The queue of analyses: durable, bounded, fair, on workers where there are some; nobody who is killed takes a wish with him."""

import asyncio
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from arbitre.analysis.document import read_document
from arbitre.analysis.work import analysed
from arbitre.crypto.keys import Key
from arbitre.errors import QuotaError
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.records.tables import ANALYSES
from arbitre.site.accounts import Account
from arbitre.site.analyses import MOST_A_LINE, MOST_EACH, MOST_TRIES, MOST_WAITING, Analyses, Stage, Wish
from arbitre.site.community import Community
from arbitre.site.judging import Judge, in_a_process
from tests.analysis.games import octets
from tests.postgresql import Cluster
from tests.site.conftest import CHEAP
from tests.test_spread import command

KEY = Key(b"\x05" * 32)
HOUSE = KEY.fingerprint
GONE = -1.0
"""The lease of somebody of whom nothing is heard."""


def wish(who: str, line: str = "") -> Wish:
    return Wish(who, line or who)


def served(queue: Analyses) -> list[str]:
    """Return the matches in the order in which one judge takes and finishes them."""
    order = []
    while (match := queue.take("judge", HOUSE)) is not None:
        order.append(match)
        assert queue.finish("judge", match, None)
    return order


def test_lines_take_turns(house: Community) -> None:
    queue = house.analyses
    for number in range(MOST_EACH):
        queue.ask(wish("ann"), f"a{number}", HOUSE)
    with pytest.raises(QuotaError):
        queue.ask(wish("ann"), "a9", HOUSE)
    assert queue.take("judge", HOUSE) == "a0"
    assert queue.finish("judge", "a0", None)
    queue.ask(wish("bob"), "b0", HOUSE)
    assert queue.ask(wish("bob"), "b1", HOUSE).before == 3
    assert queue.progress("b0").before == 1
    assert queue.ask(wish("bob"), "a1", HOUSE).before == 0  # it waits already: it is not judged twice
    assert queue.take("stranger", "another key") is None
    assert served(queue) == ["a1", "b0", "a2", "b1", "a3", "a4"]


def test_names_that_cost_nothing_bring_no_turns(house: Community) -> None:
    queue = house.analyses
    for number in range(MOST_A_LINE):
        queue.ask(wish(f"guest:{number}", "household:192.0.2.1"), f"g{number}", HOUSE)
    with pytest.raises(QuotaError):
        queue.ask(wish("guest:new", "household:192.0.2.1"), "more", HOUSE)
    queue.ask(wish("account:1"), "mine", HOUSE)
    assert queue.progress("mine").before == 1
    assert served(queue)[:3] == ["g0", "mine", "g1"]


def test_the_queue_is_bounded_and_competitions_wait_beside_it(house: Community) -> None:
    queue = house.analyses
    rows = [{"match": f"m{n}", "who": f"account:{n}", "line": f"account:{n}"} for n in range(MOST_WAITING)]
    common = {"state": Stage.WAITING, "turn": 1, "key": HOUSE, "judge": "", "until": 0.0, "tries": 0}
    with house.database.writing() as connection:
        connection.execute(insert(ANALYSES), [one | common for one in rows])
    with pytest.raises(QuotaError):
        queue.ask(wish("ann"), "a0", HOUSE)
    assert queue.ask(Wish("", "event:1"), "c0", HOUSE).stage is Stage.WAITING


def test_what_nobody_is_at_any_more_is_taken_by_another(house: Community) -> None:
    queue = house.analyses
    queue.ask(wish("ann"), "a0", HOUSE)
    assert queue.take("first", HOUSE, GONE) == "a0"
    assert queue.progress("a0").stage is Stage.WORKING
    assert queue.take("second", HOUSE) == "a0"
    assert queue.take("third", HOUSE) is None
    assert not queue.renew("first", "a0")
    assert not queue.finish("first", "a0", "forged")
    assert queue.renew("second", "a0")
    queue.give_back("second")
    assert queue.progress("a0").stage is Stage.WAITING
    assert queue.take("third", HOUSE) == "a0"


def test_what_kills_whoever_takes_it_is_given_up(house: Community) -> None:
    queue = house.analyses
    queue.ask(wish("ann"), "a0", HOUSE)
    for number in range(MOST_TRIES):
        assert queue.take(f"judge {number}", HOUSE, GONE) == "a0"
    assert queue.take("last", HOUSE) is None
    assert queue.progress("a0").stage is Stage.FAILED
    assert queue.ask(wish("ann"), "a0", HOUSE).stage is Stage.WAITING  # whoever asks again tries again


def test_who_is_erased_waits_for_nothing(house: Community, ann: Account) -> None:
    queue = house.analyses
    queue.ask(wish(f"account:{ann.id}"), "a0", HOUSE)
    house.erasure.erase(ann)
    assert queue.progress("a0").stage is Stage.NONE


def test_workers_are_there_as_long_as_they_are_heard(house: Community) -> None:
    queue = house.analyses
    queue.present("gone", HOUSE, GONE)
    queue.present("stranger", "another key")
    assert not queue.has_workers(HOUSE)
    queue.present("here", HOUSE)
    assert queue.has_workers(HOUSE)
    queue.give_back("here")
    assert not queue.has_workers(HOUSE)


def test_what_was_accepted_survives_a_restart_and_what_comes_to_nothing_is_said(tmp_path: Path) -> None:
    records = {"broken": b"no record", "good": octets("tictactoe")}
    house = Community(tmp_path / "data", CHEAP)
    for name in records:
        house.analyses.ask(wish("ann"), name, HOUSE)
    assert house.analyses.take("killed", HOUSE) == "broken"  # by a process that is killed now
    house.close()

    async def story(queue: Analyses) -> None:
        judge = Judge(queue, records.__getitem__, lambda: KEY, shared=False, compute=in_a_process)
        judge.start()
        while any(queue.progress(name).stage in (Stage.WAITING, Stage.WORKING) for name in records):
            await asyncio.sleep(0.01)
        await judge.close()

    with Community(tmp_path / "data", CHEAP) as again:
        asyncio.run(story(again.analyses))
        assert again.analyses.progress("broken").stage is Stage.FAILED
        document = again.analyses.document("good")
        assert document == analysed(octets("tictactoe"), None, 0, KEY)
        assert again.analyses.document("broken") is None


# ── workers ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def shared(cluster: Cluster, tmp_path: Path) -> Iterator[Place]:
    url = cluster.database()
    yield Place(tmp_path / "data", url)
    cluster.give_back(url)


def test_a_killed_workers_analysis_is_made_by_another(shared: Place) -> None:
    """A site stands back while a worker is there, and shows what workers made."""
    line = ("play", "tictactoe", "--watch", "random", "--opponent", "random", "--seed", "3")
    subprocess.run(command(*line, place=shared), stdout=subprocess.DEVNULL, check=True)
    store = Store(shared)
    (name,) = [row.name for row in store.matches()]
    record, key = store.record(name).text().encode(), store.key()
    workers: list[subprocess.Popen[bytes]] = []

    def hire() -> subprocess.Popen[bytes]:
        workers.append(subprocess.Popen(command("worker", "--patience", "2", place=shared), stdout=subprocess.DEVNULL))
        return workers[-1]

    with Community(shared, CHEAP) as house:
        queue = house.analyses
        first = hire()
        while not queue.has_workers(key.fingerprint):
            assert first.poll() is None
            time.sleep(0.02)
        site = Judge(queue, lambda _: record, store.key, shared=True)
        assert asyncio.run(site._next()) is None
        queue.ask(wish("ann"), name, key.fingerprint)
        while queue.progress(name).stage is Stage.WAITING:
            time.sleep(0.005)
        first.send_signal(signal.SIGSTOP)
        assert queue.progress(name).stage is Stage.WORKING, "it was judged before it could be killed"
        first.kill()
        first.wait()
        hire()
        while queue.progress(name).stage is Stage.WORKING:
            time.sleep(0.02)
        document = queue.document(name)
        assert document is not None
        assert read_document(document.text().encode()) == analysed(record, None, 0, key)
    for one in workers:
        one.kill()
        one.wait()
    store.close()
