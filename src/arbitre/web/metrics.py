"""What an operator's instruments read: counts and gauges in the text form of Prometheus, at `/metrics`.

Whoever may read it is a setting (`metrics-from`): the numbers tell how busy a site is, and nothing about who visits it.
"""

from collections import Counter
from collections.abc import Iterator
from shutil import disk_usage
from time import monotonic
from typing import TYPE_CHECKING

from arbitre import __version__
from arbitre.records.nodes import NodeRole

if TYPE_CHECKING:
    from arbitre.web.house import WebApp


LEAST_FREE = 1 << 20
"""Octets that the disk must have free for the site to be well: with fewer no game can go on."""


class Tally:
    """Counts requests by the class of their answer, and the streams that are open."""

    def __init__(self) -> None:
        self.begun = monotonic()
        self.answers: Counter[int] = Counter()
        self.seconds = 0.0
        self.open = 0

    def answered(self, status: int, seconds: float) -> None:
        """Count one request."""
        self.answers[status // 100] += 1
        self.seconds += seconds


def condition(house: "WebApp") -> str:
    """Return how the site is: `ok`, or why no game can go on."""
    house.store.alive()
    if house.store.failed:
        return "the store has failed"
    if house.store.trouble:
        return "the database takes no writes"
    return "the disk is full" if disk_usage(house.settings.data).free < LEAST_FREE else "ok"


def readiness(house: "WebApp") -> str:
    """Return whether visitors may come to this node: `ready`, or why not."""
    if house.draining or (house.membership is not None and house.membership.lost.is_set()):
        return "draining"
    status = condition(house)
    return "ready" if status == "ok" else status


def exposition(house: "WebApp", tally: Tally) -> str:
    """Return everything as Prometheus reads it."""
    return "".join(_lines(house, tally))


def _lines(house: "WebApp", tally: Tally) -> Iterator[str]:
    def one(name: str, kind: str, words: str, *samples: tuple[str, float]) -> str:
        body = "".join(f"{name}{labels} {number!r}\n" for labels, number in samples)  # every digit: a count of millions too
        return f"# HELP {name} {words}\n# TYPE {name} {kind}\n{body}"

    calls = house.switchboard.calls.total()
    requests = [(f'{{status="{kind}xx"}}', count) for kind, count in sorted(tally.answers.items())]
    node = "" if house.membership is None else f',node="{house.membership.name}"'
    yield one("arbitre_info", "gauge", "the program", (f'{{version="{__version__}"{node}}}', 1))
    if house.membership is not None:
        roles = [(f'{{node="{house.membership.name}",role="{role}"}}', int(role in house.roles)) for role in NodeRole]
        yield one("arbitre_node_role", "gauge", "1 where this node sees to it for all", *roles)
        yield one("arbitre_node_ready", "gauge", "1 while balancers may send visitors", ("", int(readiness(house) == "ready")))
    yield one("arbitre_up_seconds", "gauge", "since the site was opened", ("", monotonic() - tally.begun))
    yield one("arbitre_requests_total", "counter", "requests answered", *requests)
    yield one("arbitre_request_seconds_total", "counter", "time spent on them, streams included", ("", tally.seconds))
    yield one("arbitre_requests_open", "gauge", "requests being answered, streams among them", ("", tally.open))
    yield one("arbitre_matches_total", "counter", "matches ever called here", ("", house.arena.count))
    yield one("arbitre_matches_live", "gauge", "matches being played", ("", len(house.arena.playing())))
    yield one("arbitre_engine_answers_total", "counter", "answers of engines", ("", calls.answered))
    yield one("arbitre_engine_failures_total", "counter", "questions that engines did not answer", ("", calls.failed))
    yield one("arbitre_engine_seconds_total", "counter", "time that answers took", ("", calls.seconds))
    yield one("arbitre_engine_waiting", "gauge", "questions to engines that are open", ("", calls.waiting))
    held = house.steward.all()
    yield one("arbitre_competitions_running", "gauge", "competitions being played", ("", len(held)))
    stuck = sum(bool(house.steward.trouble(one.competition.id)) for one in held)
    yield one("arbitre_competitions_stuck", "gauge", "those that do not go on by themselves", ("", stuck))
    yield one(
        "arbitre_competition_games_waiting", "gauge", "games of theirs that are due", ("", sum(len(one.queue) for one in held))
    )
    if house.log is not None:
        yield one("arbitre_log_entries", "gauge", "entries of the published transparency log", ("", house.log.published.size))
    yield one("arbitre_store_failed", "gauge", "1 when nothing can be written any more", ("", int(bool(house.store.failed))))
    yield one(
        "arbitre_store_waits", "gauge", "1 while a commit waits for the database", ("", int(bool(house.store.backend.trouble)))
    )
    yield one("arbitre_disk_free_bytes", "gauge", "where the data folder lies", ("", disk_usage(house.settings.data).free))
