"""Five hundred engines that dial in are present on one site: they cost little, and one of them plays as if it were alone."""

import os
import resource
from pathlib import Path

import pytest

from tests.web.dialer import Dialler, house_of, play
from tests.web.site import Running
from tests.web.test_dial import Programs

CROWD = 500
MOST_EACH = 128 << 10
"""Octets of the process for each listener and its line, both ends of it."""


def memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.campaign
def test_five_hundred_engines_are_present_and_one_plays(open_site: Running) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * CROWD, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    house = house_of(open_site)
    owner = house.community.accounts.create("crowded", "correct horse battery")
    house.community.accounts.set_quota(owner, CROWD)
    owner = house.community.accounts.get(owner.id)
    diallers = [Dialler(open_site, owner, name=f"Crowd{number}") for number in range(CROWD)]
    first = diallers[0].line()
    before = memory()
    lines = [first, *(one.line() for one in diallers[1:])]
    try:
        assert {line.status for line in lines} == {200}
        assert all(house.arena.dialing.present(one.engine.id) for one in diallers)
        assert (memory() - before) / CROWD < MOST_EACH
        programs = Programs(open_site, owner)
        programs.call(diallers[-1].engine.id)
        assert play(diallers[-1], lines[-1])[-1]["text"].startswith("end ")
    finally:
        for line in lines:
            line.cut()
