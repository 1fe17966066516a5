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

    @property
    def mean(self) -> float:
        """Seconds that an answer takes."""
        return self.seconds / self.answered if self.answered else 0.0


class Calls:
    """Everything that was asked of engines since the house was opened."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, Host] = OrderedDict()

    @contextmanager
    def asking(self, url: str) -> Iterator[None]:
        """Count one question to an engine, answered or failed."""
        name = urlsplit(url).netloc.rpartition("@")[2] or url.partition("/")[0]  # a gateway has no host of its own
        host = self._hosts.pop(name, None) or Host(name)
        self._hosts[name] = host
        if len(self._hosts) > MOST_HOSTS:
            self._hosts.popitem(last=False)
        host.waiting += 1
        begun = monotonic()
        try:
            yield
        except BaseException:
            host.failed += 1
            raise
        else:
            spent = monotonic() - begun
            host.answered += 1
            host.seconds += spent
            host.longest = max(host.longest, spent)
        finally:
            host.waiting -= 1

    def hosts(self) -> list[Host]:
        """Return the hosts, the slowest first."""
        return sorted(self._hosts.values(), key=lambda host: -host.mean)

    def total(self) -> Host:
        """Return all hosts together."""
        whole = Host("")
        for host in self._hosts.values():
            whole.waiting += host.waiting
            whole.answered += host.answered
            whole.failed += host.failed
            whole.seconds += host.seconds
            whole.longest = max(whole.longest, host.longest)
        return whole
