"""How engines answer, host by host: who is being waited for, how long answers take, and what fails. Kept in memory, bounded."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from urllib.parse import urlsplit

MOST_HOSTS = 1_000
"""So many hosts are remembered; the one that was quiet longest is forgotten first."""


@dataclass(slots=True)
class Host:
    """What is known of one host."""

    name: str
    waiting: int = 0
    """Questions that are open now."""
    answered: int = 0
    failed: int = 0
    seconds: float = 0.0
    """All the time that answers took."""
    longest: float = 0.0
    """What a question took, answered or not."""
    lost: float = 0.0
    """All the time that was waited in vain."""

    @property
    def mean(self) -> float:
        """Seconds that an answer takes."""
        return self.seconds / self.answered if self.answered else 0.0

    @property
    def slowness(self) -> float:
        """Seconds that a question takes: who never answers is not quick."""
        asked = self.answered + self.failed
        return (self.seconds + self.lost) / asked if asked else 0.0

    def answer(self, spent: float) -> None:
        """Count an answer."""
        self.answered += 1
        self.seconds += spent
        self.longest = max(self.longest, spent)

    def fail(self, spent: float) -> None:
        """Count a question without one."""
        self.failed += 1
        self.lost += spent
        self.longest = max(self.longest, spent)


class Calls:
    """Everything that was asked of engines since the house was opened."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, Host] = OrderedDict()
        self._whole = Host("")

    @contextmanager
    def asking(self, url: str) -> Iterator[None]:
        """Count one question to an engine, answered or failed."""
        name = urlsplit(url).netloc.rpartition("@")[2] or url.partition("/")[0]  # a gateway has no host of its own
        host = self._hosts.pop(name, None) or Host(name)
        self._hosts[name] = host
        if len(self._hosts) > MOST_HOSTS:
            self._hosts.popitem(last=False)
        both, begun = (host, self._whole), monotonic()
        for one in both:
            one.waiting += 1
        try:
            yield
        except BaseException:
            for one in both:
                one.fail(monotonic() - begun)
            raise
        else:
            for one in both:
                one.answer(monotonic() - begun)
        finally:
            for one in both:
                one.waiting -= 1

    def hosts(self) -> list[Host]:
        """Return the hosts, the slowest first."""
        return sorted(self._hosts.values(), key=lambda host: -host.slowness)

    def total(self) -> Host:
        """Return all hosts together, those too that are forgotten: a count never goes back."""
        return self._whole
