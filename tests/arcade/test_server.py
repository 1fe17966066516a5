"""The arcade over real sockets: whole games, faults at every state, duels, questions answered beside, records that prove it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import gmpy2
import pytest
from gmpy2 import mpz

from arbitre.arcade import server as service
from arbitre.arcade.bout import Ending, Finish
from arbitre.arcade.server import read_level
from arbitre.arcade.side import Throw
from arbitre.arcade.story import difference, reread
from arbitre.arcade.terms import LEVELS
from arbitre.arcade.visitor import Player, Visitor, join
from arbitre.arcade.wire import VERBS, LineReader, Sign
from arbitre.crypto.elgamal import Key
from arbitre.crypto.groups import Group, oakley
from arbitre.errors import StoreError
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.reasons import Reason
from arbitre.records.record import read_record
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from tests.arcade.house import KEY, Raw, opened, run
from tests.crypto.test_groups import sound
from tests.reasons import gives


class Dice(Player):
    name = "dice"

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def throw(self, past: Sequence[Throw]) -> Sign:  # noqa: ARG002 - dice have no memory
        return self.random.choice(list(Sign))


async def visited(
    address: tuple[str, int], player: Player, *, table: str = "", level: str = "", language: str = ""
) -> tuple[Finish, Visitor]:
    visits: list[Visitor] = []
    finish = await asyncio.to_thread(
        partial(join, address, player, keep=visits.append, table=table, level=level, language=language)
    )
    return finish, visits[0]


# ── against the machine ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("level", LEVELS)
def test_a_whole_match_leaves_a_record_that_proves_it(level: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path, level=level) as (address, ledgers, _):
            finish, visitor = await visited(address, Dice(1), language="fr")
            assert finish.ending is Ending.GOAL
            assert f"# level {level}" in visitor.heard
            assert any(line.startswith("# commentator manche 0 :") for line in visitor.heard)
            assert any(line.startswith("# over ") for line in visitor.heard)
            assert ledgers[0].bout.finish == finish

    run(scenario)
    store = Store(tmp_path)
    (row,) = store.matches(game="arcade")
    octets = store.record(row.name).text().encode()
    found = verify(octets, keys=[store.key().fingerprint])
    store.close()
    assert found.standing is Proof.VERIFIED
    assert found.verdict is not None
    assert max(found.verdict.tally) == 32
    lines = octets.splitlines(keepends=True)
    for at, old, new in ((4, b"MOVE ", b"MOVE  "), (4, b"said", b"left"), (8, b"PIERRE", b"FEUILLE")):
        broken = [*lines]
        broken[at] = next(line for line in lines[at:] if old in line).replace(old, new, 1)
        assert verify(b"".join(broken)).standing is Proof.BROKEN


def test_a_peer_that_knows_only_the_seed(tmp_path: Path) -> None:
    """It says nothing in comments, ignores all comments, speaks CR LF, and waits for the other's key first."""

    async def scenario() -> None:
        async with opened(tmp_path) as (address, _, _):
            peer = await Raw.visit(address)
            await peer.hear("PKEY ")
            peer.writer.write(f"PKEY 0x{KEY.h.digits(16).upper()}\r\n".encode())
            peer.commit()
            await peer.hear("MOVE ")
            peer.open()
            assert await peer.hear("OK") == "OK"
            await peer.hear("COMMIT ")
            peer.say("MOVE 504945525245 # PIERRE")
            await peer.hear("MOVE ")
            await peer.hear("OPEN ")
            peer.say("OK")
            assert await peer.hear("# commentator round 1:")
            assert not [line for line in peer.lines if line.startswith("# error")]

    run(scenario)


def test_many_games_at_once() -> None:
    async def scenario() -> None:
        async with opened(level="Facile") as (address, ledgers, _):
            finishes = await asyncio.gather(*(visited(address, Dice(seed)) for seed in range(6)))
            assert [finish.ending for finish, _ in finishes] == [Ending.GOAL] * 6
            assert len({ledger.call.match for ledger in ledgers}) == 6

    run(scenario)


async def to_state(address: tuple[str, int], state: str) -> Raw:
    """Visit, and go on to a state where the joueur is awaited."""
    peer = await Raw.visit(address, "# begin")
    await peer.hear("PKEY ")
    if state == "PKEY":
        return peer
    peer.key()
    if state == "COMMIT":
        await peer.hear("# round 0 ")
        return peer
    peer.commit()
    await peer.hear("MOVE ")
    if state == "MOVE":
        return peer
    if state == "OPEN":
        peer.say("MOVE PIERRE")
        return peer
    peer.open()
    await peer.hear("COMMIT ")
    if state == "ANSWER":
        return peer
    peer.say("MOVE PIERRE")
    await peer.hear("OPEN ")
    return peer


STATES = ["PKEY", "COMMIT", "MOVE", "OPEN", "ANSWER", "RULE"]


@pytest.mark.parametrize("state", STATES)
def test_hanging_up_at_every_state_forfeits(state: str) -> None:
    async def scenario() -> None:
        async with opened() as (address, ledgers, _):
            peer = await to_state(address, state)
            peer.leave()
            while not ledgers:
                await asyncio.sleep(0.01)
            finish = ledgers[0].bout.finish
            assert finish is not None
            assert (finish.winner, finish.ending) == (SECOND, Ending.GONE)

    run(scenario)


def test_silence_at_every_state_forfeits() -> None:
    async def silent(address: tuple[str, int], state: str) -> None:
        peer = await to_state(address, state)
        assert (await peer.rest())[-1].startswith("# over adversaire ")
        assert "silence" in peer.lines[-1]

    async def scenario() -> None:
        async with opened(limit=1.5) as (address, ledgers, _):
            await asyncio.gather(*(silent(address, state) for state in STATES))
            assert [ledger.bout.finish and ledger.bout.finish.ending for ledger in ledgers] == [Ending.SILENCE] * len(STATES)

    run(scenario)


def test_faults_are_explained_and_the_eighth_forfeits() -> None:
    async def scenario() -> None:
        async with opened() as (address, ledgers, _):
            peer = await to_state(address, "MOVE")
            peer.say("OK", "MOVE PAPIER", "\u00e9\u00e9", "OPEN " + "f" * 9_000)
            for left, why in (
                (7, Reason("out-of-order", command="OK", due="MOVE of the starter")),
                (6, Reason("no-hand", given="PAPIER")),
                (5, Reason("no-command", given="\\xc3\\xa9" * 2, known=" ".join(VERBS))),
                (4, Reason("arcade-long-line", most=8192)),
            ):
                assert await peer.hear("# error") == f"# error {why} (credits left: {left})"
            peer.open()
            await peer.hear("OK")
            peer.say(*["HELP"] * 4)
            assert (await peer.rest())[-1].startswith("# over adversaire 0 ") or "faults" in peer.lines[-1]
            assert ledgers[0].bout.credits == (0, 8)

    run(scenario)


def test_a_false_opening_is_convicted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as (address, _, _):
            peer = await to_state(address, "MOVE")
            peer.open(wrong=1)
            await peer.hear("REFEREE")
            assert await peer.hear("# referee joueur cheated: the commitment does not open to PIERRE; 3 points off")
            assert "joueur -3, machine 1" in await peer.hear("# commentator round 0: the round goes to machine")
            await peer.hear("COMMIT ")
            peer.say("MOVE PIERRE")
            await peer.hear("OPEN ")
            peer.say("REFEREE")
            assert "joueur accuses wrongly" in await peer.hear("# referee")
            peer.leave()

    run(scenario)
    store = Store(tmp_path)
    (row,) = store.matches()
    reading = reread(store.record(row.name))
    store.close()
    assert reading.bout.scores[0] in (-6, -5)
    assert reading.bout.scores[1] in (1, 2)


def test_visitors_who_never_play_leave_no_trace(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as (address, ledgers, _):
            peer = await Raw.visit(address, "# begin")
            await peer.hear("PKEY ")
            peer.leave()
            while not ledgers:
                await asyncio.sleep(0.01)

    run(scenario)
    store = Store(tmp_path)
    assert list(store.matches()) == []
    store.close()


# ── groups ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def declared(group: Group) -> str:
    return f"GROUP {group.p.digits(16)} {group.g.digits(16)} {group.q.digits(16)}"


def test_a_strangers_group_is_tested_beside() -> None:
    async def scenario() -> None:
        async with opened() as (address, _, _):
            group = sound()
            key = Key(group)
            peer = await Raw.visit(address, "# begin", declared(group))
            peer.key(key)
            peer.commit(key=key)  # says on without waiting: it is heard when the group was tested
            await peer.hear("# fingerprint", 30)
            await peer.hear("MOVE ")
            peer.open()
            assert await peer.hear("OK")

    run(scenario)


def test_a_false_group_forfeits() -> None:
    async def scenario() -> None:
        async with opened() as (address, _, _):
            group = sound()
            false = Group(group.p, group.g, group.q * 2)
            peer = await Raw.visit(address, "# begin", declared(false))
            peer.say(f"PKEY {gmpy2.powmod(group.g, 5, group.p).digits(16)}")
            forfeits = Reason("forfeits", why=Reason("order-not-prime"))
            assert (await peer.rest(30))[-1] == f"# over adversaire 0 0 faults: {forfeits}"

    run(scenario)


def test_a_flood_of_groups_is_turned_away_and_others_play_on() -> None:
    async def scenario() -> None:
        async with opened() as (address, ledgers, arcade):
            arcade.beside._room = 2
            group = sound()
            flood = [await Raw.visit(address, "# begin", declared(group)) for _ in range(6)]
            for number, peer in enumerate(flood):
                peer.say(f"PKEY {gmpy2.powmod(group.g, 5 + number, group.p).digits(16)}")
            finish, _ = await visited(address, Dice(3))
            assert finish.ending is Ending.GOAL
            verdicts = [ledger.affairs.verdict for ledger in ledgers]
            assert sum(one is not None and gives(one.reason, "arcade-busy") for one in verdicts) == 4

    run(scenario)


def test_huge_openings_do_not_hold_up_the_loop() -> None:
    """Facile takes any modulus; an opening of 8,192 bits is checked beside."""

    async def scenario() -> None:
        async with opened(level="Facile") as (address, _, arcade):
            huge = Group(mpz(2) ** 8191 - 19, mpz(3), mpz(1))
            peer = await Raw.visit(address, "# begin", declared(huge))
            k = mpz(2) ** 8190 + 1
            r = gmpy2.powmod(3, k, huge.p)
            peer.say("PKEY 5", f"COMMIT {r.digits(16)} 1")
            await peer.hear("MOVE ")
            peer.say("MOVE PIERRE", f"OPEN {k.digits(16)}")
            assert await peer.hear("REFEREE", 30)
            assert arcade.beside._room == 64

    run(scenario)


# ── duels ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_two_people_meet_and_three_records_agree(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as (address, _, _):
            (one, first), (two, second) = await asyncio.gather(
                visited(address, Dice(1), table="sunday"), visited(address, Dice(2), table="sunday")
            )
            assert one == two
            assert one.ending is Ending.GOAL
            assert first.fingerprint == second.fingerprint != ""
            assert {first._seat, second._seat} == {FIRST, SECOND}
            mine, theirs = (visit.record().text().encode() for visit in (first, second))
            store = Store(tmp_path)
            (row,) = store.matches()
            house = store.record(row.name).text().encode()
            store.close()
            readings = [reread(read_record(octets)) for octets in (mine, theirs, house)]
            assert {reading.call.keeper for reading in readings} == {"referee", "joueur", "adversaire"}
            assert all(verify(octets).standing is Proof.INTACT for octets in (mine, theirs, house))
            assert [difference(readings[0], reading) for reading in readings] == [None, None, None]

    run(scenario)


def test_a_made_up_code(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened() as (address, _, _):
            one = await Raw.visit(address, "# name Ada", "# table new")
            code = (await one.hear("# table ")).split()[2]
            two = await Raw.visit(address, "# name Ada", f"# table {code}")
            assert await one.hear("# seat") == "# seat joueur Ada against Ada (2)"
            assert await two.hear("# seat") == "# seat adversaire Ada (2) against Ada"

    run(scenario)


def test_the_relay_passes_on_only_what_was_taken() -> None:
    """Refused lines and comments stay with who said them; nobody need wait for the other in the prologue."""

    async def scenario() -> None:
        async with opened() as (address, _, _):
            one = await Raw.visit(address, "# table t")
            await one.hear("# waiting")
            two = await Raw.visit(address, "# table t")
            await one.hear("# seat joueur")
            one.key()
            one.commit()  # too early for the rules, but neither side need wait: it is heard when both keys are there
            await two.hear("PKEY ")
            two.say("OK", "# referee the joueur cheats")
            await two.hear(f"# error {Reason('keys-first', command='OK')}")
            two.key(Key(oakley(14), mpz(99)))
            await two.hear("COMMIT ")
            two.say("MOVE FEUILLE")
            assert await one.hear("MOVE ") == "MOVE FEUILLE"
            assert not [line for line in one.lines if line.startswith(("OK", "# error", "# referee"))]
            one.leave()
            assert (await two.rest())[-1] == f"# over adversaire 0 0 gone: {Reason('forfeits', why=Reason('hung-up'))}"

    run(scenario)


def test_a_key_that_comes_before_the_other_is_kept() -> None:
    """Neither side need wait for the other: not even for it to be there."""

    async def scenario() -> None:
        async with opened() as (address, _, _):
            one = await Raw.visit(address, "# table t", f"PKEY {KEY.h.digits(16)}")
            one.commit()
            await one.hear("# waiting")
            two = await Raw.visit(address, "# table t")
            await two.hear("PKEY ")
            two.key(Key(oakley(14), mpz(99)))
            await two.hear("COMMIT ")
            two.say("MOVE CISEAUX")
            assert await one.hear("MOVE ") == "MOVE CISEAUX"
            one.open()
            await two.hear("OPEN ")
            two.say("OK")
            assert "joueur 1, adversaire 0" in await one.hear("# commentator round 0")

    run(scenario)


def test_who_talks_on_does_not_keep_the_other_from_being_heard() -> None:
    """A side that is ready and says much more is left waiting alone; the other's key is still heard."""

    async def scenario() -> None:
        async with opened(limit=5) as (address, _, _):
            one = await Raw.visit(address, "# table t")
            await one.hear("# waiting")
            two = await Raw.visit(address, "# table t")
            await one.hear("# seat joueur")
            one.key()
            one.commit()
            one.say(*["# chatter"] * 400)
            await two.hear("PKEY ")
            two.key(Key(oakley(14), mpz(99)))
            await two.hear("COMMIT ")
            two.say("MOVE FEUILLE")
            await one.hear("MOVE ")

    run(scenario)


def test_swapped_keys_show() -> None:
    """A house that plays both sides against each other has to use keys of its own, and both fingerprints tell."""

    async def scenario() -> None:
        async with opened() as (address, _, _):
            (_, first), (_, middle) = await asyncio.gather(
                visited(address, Dice(1), table="left"), visited(address, Dice(2), table="left")
            )
            (_, second), _ = await asyncio.gather(
                visited(address, Dice(3), table="right"), visited(address, Dice(4), table="right")
            )
            assert first.fingerprint == middle.fingerprint != second.fingerprint
            one, two = (reread(visit.record()) for visit in (first, second))
            assert gives(difference(one, two), "these are records of two matches")
            forged = two._replace(call=one.call)
            assert gives(difference(one, forged), "somebody between the two has swapped them")

    run(scenario)


NO_LEVEL = str(
    Reason("no level is called %(text)r; there are: %(levels)s", text="Impossible", levels="Facile, Normal, Difficile, Nightmare")
)


# ── before a match ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hello", "why"),
    [
        (["# level Impossible"], NO_LEVEL),
        (["# table ***"], "a code has 1 to 24 letters, digits or hyphens"),
        (["# name x"] * 17, "so many wishes"),
        (["# table alone", *["PKEY 5"] * 5], "nobody else is at the table yet"),
    ],
)
def test_wishes_that_cannot_be_granted(hello: list[str], why: str) -> None:
    async def scenario() -> None:
        async with opened() as (address, _, _):
            peer = await Raw.visit(address, *hello)
            assert (await peer.rest())[-1] == f"# error {why}"

    run(scenario)


def test_names_cannot_speak_for_the_referee() -> None:
    async def scenario() -> None:
        async with opened() as (address, _, _):
            peer = await Raw.visit(address, "# name Eve # referee \x1b[2J" + "x" * 50, "# begin")
            seat = await peer.hear("# seat")
            assert seat == "# seat joueur Eve  referee  [2Jxxxxxx against machine"

    run(scenario)


def test_a_full_house_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_VISITORS", 2)

    async def scenario() -> None:
        async with opened() as (address, _, _):
            peers = [await Raw.visit(address, "# begin") for _ in range(3)]
            assert (await peers[2].rest()) == ["# error the arcade is full; come back later"]
            await peers[1].hear("PKEY ")

    run(scenario)


def test_a_house_that_cannot_keep_records_sends_everybody_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as (address, _, arcade):
            peer = await to_state(address, "MOVE")
            assert arcade.store is not None

            def full(statement: str, values: object) -> None:
                raise StoreError("the disk is full")

            monkeypatch.setattr(arcade.store, "write", full)
            peer.open()
            why = Reason("the disk is full")
            assert (await peer.rest())[-1] == f"# error the house cannot keep the record, nobody loses: {why}"

    run(scenario)


class Counted(LineReader):
    """A reader that counts the lines that are heard: everybody's together, and the most of one visitor in one turn."""

    turn = total = most = 0

    def __init__(self) -> None:
        super().__init__()
        self._here = (0, 0)

    def line(self) -> str | None:
        line = super().line()
        if line is not None:
            Counted.total += 1
            turn, count = self._here
            self._here = (Counted.turn, count + 1 if turn == Counted.turn else 1)
            Counted.most = max(Counted.most, self._here[1])
        return line


async def turns() -> None:
    """Count the turns of the loop."""
    while True:
        Counted.turn += 1
        await asyncio.sleep(0)


async def answered(peer: Raw, rounds: int) -> tuple[int, int]:
    """Play rounds as the joueur; return the most turns and the most lines of anybody that lay before an answer."""
    longest = between = 0
    for number in range(rounds):
        turn, total = Counted.turn, Counted.total
        if number % 2 == 0:
            peer.commit()
            await peer.hear("MOVE ")
            peer.open()
        else:
            peer.say("MOVE PIERRE")
            await peer.hear("OPEN ")
            peer.say("OK")
        await peer.hear(f"# commentator round {number}:")
        longest, between = max(longest, Counted.turn - turn), max(between, Counted.total - total)
    return longest, between


FLOODERS = 12
LINES = 32
"""How many lines of one visitor are heard in one turn."""


@pytest.mark.parametrize("flood", [b"\n" * 60_000, b"# so it is\n" * 20_000], ids=["blank lines", "comments"])
def test_a_flood_of_lines_that_say_nothing_holds_nobody_up(flood: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are answered in no more than twice the turns of the loop; a turn is short; and who floods is soon sent home."""
    monkeypatch.setattr(service, "LineReader", Counted)
    monkeypatch.setattr(Counted, "most", 0)

    async def scenario() -> None:
        async with opened() as (address, ledgers, _):
            counting = asyncio.create_task(turns())
            peer = await to_state(address, "COMMIT")
            calm, few = await answered(peer, 6)
            peer.leave()
            peer = await to_state(address, "COMMIT")
            flooders = [await to_state(address, "COMMIT") for _ in range(FLOODERS)]
            for one in flooders:
                one.writer.write(flood)
            longest, between = await answered(peer, 6)
            assert longest <= 2 * calm
            assert between <= few + FLOODERS * LINES * (longest + 1)
            assert Counted.most <= LINES
            while len(ledgers) < 1 + FLOODERS:
                await asyncio.sleep(0.01)
            ends = [ledger.bout.finish and ledger.bout.finish.reason for ledger in ledgers[1:]]
            assert ends == [Reason("forfeits", seat=1, why=Reason("idle-lines", most=1_000))] * FLOODERS
            counting.cancel()

    run(scenario)


def test_comments_between_commands_cost_nothing() -> None:
    async def scenario() -> None:
        async with opened() as (address, _, _):
            peer = await to_state(address, "COMMIT")
            for number in range(4):
                peer.say(*["# I think of it", ""] * 300)
                if number % 2 == 0:
                    peer.commit()
                    await peer.hear("MOVE ")
                    peer.open()
                else:
                    peer.say("MOVE PIERRE")
                    await peer.hear("OPEN ")
                    peer.say("OK")
                await peer.hear(f"# commentator round {number}:")

    run(scenario)


NOISE = [
    b"PKEY 5\n",
    b"COMMIT 5 5\n",
    b"MOVE PIERRE\n",
    b"OPEN 5\n",
    b"OK\n",
    b"REFEREE\n",
    b"# begin\n",
    b"# table x\n",
    b"\xff\n",
]


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_survived(seed: int) -> None:
    """Whatever octets arrive, the house answers in lines and plays on with others."""

    async def noise(address: tuple[str, int], random: Random) -> None:
        peer = await Raw.visit(address)
        with suppress(ConnectionError):  # the house hangs up in the middle of it
            for _ in range(30):
                peer.writer.write(random.choice(NOISE) if random.random() < 0.7 else random.randbytes(random.randrange(300)))
                await peer.writer.drain()
            peer.writer.write_eof()
            assert all(line.isascii() for line in await peer.rest())

    async def scenario() -> None:
        async with opened() as (address, _, _):
            await asyncio.gather(*(noise(address, Random(100 * seed + number)) for number in range(8)))
            finish, _ = await visited(address, Dice(seed))
            assert finish.ending is Ending.GOAL

    run(scenario)


def test_closing_the_house_is_nobodys_loss() -> None:
    async def scenario() -> None:
        async with opened() as (address, ledgers, arcade):
            peer = await to_state(address, "ANSWER")
            await arcade.close()
            assert (await peer.rest())[-1] == f"# over nobody: {Reason('arcade-closes')}"
            verdict = ledgers[0].affairs.verdict
            assert verdict is not None
            assert verdict.scores is None

    run(scenario)


def test_levels_are_read_in_any_case() -> None:
    assert read_level("nightMARE") == "Nightmare"
    assert Seat(0) == FIRST
