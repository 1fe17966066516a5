"""The trace of an engine: told when an ask is over and never before, in the order in which things began."""

import asyncio

import pytest

from arbitre.errors import NotTakenError
from arbitre.reasons import Reason
from arbitre.tournoyons.trace import MOST_WAITING, Fetched, Spoken, Trace
from arbitre.tournoyons.wire import ACCEPTED, Reply

DONE = Fetched(200, "5", whole=True)


async def said(fetched: Fetched = DONE) -> Fetched:
    return fetched


def test_nothing_is_told_while_the_engine_is_asked() -> None:
    told: list[Spoken] = []

    async def course() -> None:
        trace = Trace(told.append)
        trace.asked()
        await trace.called("http://engine/", said())
        trace.heard("Value=5", ACCEPTED)
        assert told == []
        trace.answered()

    asyncio.run(course())
    assert [(one.what, one.status) for one in told] == [("called", 200), ("heard", 200)]


def test_what_came_during_a_call_is_told_behind_it_when_the_call_is_over() -> None:
    told: list[Spoken] = []

    async def course() -> None:
        trace = Trace(told.append)
        trace.asked()
        answer: asyncio.Future[Fetched] = asyncio.get_running_loop().create_future()
        call = asyncio.ensure_future(trace.called("http://engine/", answer))
        await asyncio.sleep(0)
        trace.heard("Value=5", ACCEPTED)
        trace.answered()
        assert told == [], "the call goes on"
        answer.set_result(DONE)
        await call
        assert [one.what for one in told] == ["called", "heard"], "without another ask"

    asyncio.run(course())
    assert told[0].at <= told[1].at
    assert told[0].body == "5"


def test_a_call_that_failed_or_was_given_up_is_told() -> None:
    told: list[Spoken] = []

    async def fails() -> Fetched:
        raise NotTakenError("Connection refused")

    async def course() -> None:
        trace = Trace(told.append)
        with pytest.raises(NotTakenError):
            await trace.called("http://engine/", fails())
        call = asyncio.ensure_future(trace.called("http://engine/", asyncio.get_running_loop().create_future()))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    asyncio.run(course())
    assert [(one.what, one.status, one.shown) for one in told] == [
        ("failed", 0, Reason("Connection refused")),
        ("called", 0, Reason("unended")),
    ]


def test_who_calls_back_without_end_fills_nothing() -> None:
    told: list[Spoken] = []
    trace = Trace(told.append)
    trace.asked()
    for number in range(10 * MOST_WAITING):
        trace.heard(f"Value={number}", Reply(404, Reason("nobody-asked")))
    trace.answered()
    assert [one.text for one in told[-1:]] == [f"Value={10 * MOST_WAITING - 1}"]
    assert len(told) == MOST_WAITING
