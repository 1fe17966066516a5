"""What nodes count together and do once: the same limits as for one of them, whoever is asked."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from arbitre.errors import HasteError
from arbitre.records.backend import open_aside
from arbitre.records.place import Place
from arbitre.records.shared import KEPT_SECONDS, SWEEP_SECONDS, Shared
from arbitre.site.limits import SharedLimits
from arbitre.tournoyons.slots import Slots
from arbitre.transport.limits import Limit, Limits, Pace, Spending
from tests.site.test_nodes import Member, member, shared

__all__ = ["member", "shared"]

FEW = {"write": Limit(10, 60), "begin": Limit(3, 60)}


def together(place: Place, *members: Member) -> list[Shared]:
    made = []
    for one in members:
        made.append(Shared(open_aside(place)))
        made[-1].node = one.node
    return made


def test_two_nodes_take_what_one_would(member: Callable[[str], Member], shared: Place) -> None:
    """Whoever goes from one to the other is refused when he would be at one of them, and waits as long."""
    both = together(shared, member("one"), member("two"))
    several, alone = [SharedLimits(FEW, one) for one in both], Limits(FEW)
    for step in range(60):
        kind, now = ("write", "begin")[step % 3 == 0], 6_000.0 + 3.7 * step
        told = []
        for limits in (several[step % 2], alone):
            try:
                limits.take(kind, "anna", now)
                told.append(0.0)
            except HasteError as error:
                told.append(round(error.wait, 6))
        assert told[0] == told[1], step
    for node in (0, 1, 0):
        several[node].look("begin", "ben", 6_000.0)
        several[node].take("begin", "ben", 6_000.0)
    for limits in several:
        with pytest.raises(HasteError):
            limits.look("begin", "ben", 6_000.0)
    several[1].forgive("begin", "ben")
    several[0].look("begin", "ben", 6_000.0)
    for one in both:
        one.close()


def test_what_is_asked_under_a_key_is_claimed_once(member: Callable[[str], Member], shared: Place) -> None:
    one, two = member("one"), member("two")
    here, there = together(shared, one, two)
    with ThreadPoolExecutor(2) as both:
        claims = list(both.map(lambda node: node.claim(1, "key", b"asked"), (here, there)))
    assert sorted(claim.ours for claim in claims) == [False, True]
    owner, other = (here, there) if claims[0].ours else (there, here)
    assert (other.claim(1, "key", b"asked").answer, other.claim(1, "key", b"else").asked) == ("", b"asked")
    owner.settle(1, "key", "answer")
    for node in (here, there):
        assert node.claim(1, "key", b"asked").answer == "answer"
    assert other.claim(2, "key", b"asked").ours  # of another token
    other.settle(2, "key", "")
    assert owner.claim(2, "key", b"asked").ours  # it came to nothing, and the next who asks tries
    for node in (here, there):
        node.close()


def test_a_claim_of_a_dead_node_is_taken_over_and_old_answers_go(member: Callable[[str], Member], shared: Place) -> None:
    one, two = member("one"), member("two")
    here, there = together(shared, one, two)
    assert here.claim(1, "key", b"asked").ours
    assert not there.claim(1, "key", b"asked").ours
    one.silence()
    assert two.inherit()[0] == ("one",)
    assert there.claim(1, "key", b"asked").ours
    here.settle(1, "key", "late")  # it is not his any more
    assert there.claim(1, "key", b"asked").answer == ""
    there.settle(1, "key", "answer")
    there.ahead += KEPT_SECONDS + SWEEP_SECONDS + 1
    assert there.claim(1, "key", b"something else").ours
    for node in (here, there):
        node.close()


# ── the pace of requests ───────────────────────────────────────────────────────────────────────────────────────────


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("sticky", [False, True])
def test_requests_are_counted_at_all_nodes_together(*, sticky: bool) -> None:
    """Sixty a minute are sixty a minute at two nodes, whichever is asked, once each has told the other."""
    clock = Clock()
    paces, alone = [Pace(60, clock=clock) for _ in range(2)], Pace(60, clock=clock)
    told = [Spending(clock) for _ in paces]
    for one, pace in zip(told, paces, strict=True):
        one.share(pace)
    passed = [0, 0]
    for second in range(120):
        clock.now = float(second)
        for at, one in enumerate(told):  # as beats are: one after the other
            one.hear({"the other": told[1 - at].told()})
        for request in range(10):
            passed[0] += paces[0 if sticky else request % 2].spend("anna") == 0
            passed[1] += alone.spend("anna") == 0
    ours, as_one = passed
    assert as_one * 0.9 <= ours <= as_one * 1.05


def test_a_burst_before_anybody_has_heard_is_divided() -> None:
    clock = Clock()
    paces = [Pace(60, clock=clock) for _ in range(3)]
    for pace in paces:
        spending = Spending(clock)
        spending.share(pace)
        spending.hear({"two": "", "three": ""})
    assert sum(pace.spend("anna") == 0 for _ in range(100) for pace in paces) == 60
    assert paces[0].spend("ben") == 0


# ── calls to engines ───────────────────────────────────────────────────────────────────────────────────────────────


def test_calls_to_a_host_are_divided_among_nodes() -> None:
    """When another node comes, those that are too many come to their end; when it goes, those in line have their turn."""

    async def course() -> None:
        slots = Slots(4)
        for _ in range(4):
            await slots.take("host")
        waiting = [asyncio.ensure_future(slots.take("host")) for _ in range(3)]
        await asyncio.sleep(0)
        slots.resize(2)
        for _ in range(2):
            slots.give("host")
        await asyncio.sleep(0)
        assert not any(one.done() for one in waiting)
        slots.give("host")
        await waiting[0]
        slots.resize(4)
        await asyncio.gather(*waiting)
        for _ in range(4):
            slots.give("host")
        assert slots.idle

    asyncio.run(course())
