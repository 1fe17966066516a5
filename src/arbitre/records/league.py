"""The registrar's ledger: which versions of which games were accepted, and which games are confirmed (spec: draughts, section 3).

`Ledger.hear` judges one report and takes it down in one step without waiting, so two reports of the same instant are judged one
after the other. What it took down is safe when the store's `durable` is done; nobody may be told before. What lies in the store
is all there is: a ledger opened again answers as the one before would have.
"""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network

from arbitre.errors import LeagueError, shorten
from arbitre.protocol.report import (
    Address,
    Answer,
    Fingerprint,
    Identity,
    Impossible,
    Pair,
    Registered,
    Report,
    Unknown,
    Word,
    judge,
    mapped,
    pair_of,
    read_report,
    shown,
)
from arbitre.records.store import Store
from arbitre.rules.game import Seat, value

LONGEST_GROUP = 80


@value
class Roster:
    """Which group stands behind which addresses; whoever is not in it is known by the address alone."""

    groups: tuple[tuple[IPv6Network, str], ...] = ()
    """Longest prefixes first."""

    def identity(self, address: Address) -> Identity:
        """Return whom the league knows behind an address."""
        for network, name in self.groups:
            if address in network:
                return Identity(name)
        return Identity(shown(address))


def read_roster(text: str) -> Roster:
    """Read lines `ADDRESS-OR-PREFIX NAME OF THE GROUP`; blank lines and those that begin with # are remarks."""
    groups = []
    for number, line in enumerate(text.splitlines(), start=1):
        word, _, name = line.strip().partition(" ")
        name = " ".join(name.split())
        if not word or word.startswith("#"):
            continue
        try:
            network = _mapped_network(ip_network(word, strict=False))
        except ValueError:
            raise LeagueError(f"line {number} of the roster: {shorten(word)!r} is no address or prefix") from None
        if not name or len(name) > LONGEST_GROUP or _is_address(name):
            raise LeagueError(f"line {number} of the roster: {shorten(name)!r} is no name of a group")
        groups.append((network, name))
    return Roster(tuple(sorted(groups, key=lambda group: -group[0].prefixlen)))


def _mapped_network(network: IPv4Network | IPv6Network) -> IPv6Network:
    if isinstance(network, IPv6Network):
        return network
    return IPv6Network((mapped(network.network_address), 96 + network.prefixlen))


def _is_address(name: str) -> bool:
    try:
        mapped(name)
    except ValueError:
        return False
    return True


@value
class Confirmed:
    """A game that both sides reported, `number` in the order of confirmation."""

    number: int
    pair: Pair
    day: str
    report: Report


class Ledger:
    """What is registered."""

    def __init__(self, store: Store, roster: Roster | None = None) -> None:
        self.store = store
        self.roster = roster or Roster()
        self._versions: dict[tuple[Fingerprint, Pair], frozenset[Seat]] = {}
        self._owners: dict[Fingerprint, Pair] = {}
        self._days: set[tuple[Pair, str]] = set()
        for fingerprint, white, black, seat in store.rows("SELECT fingerprint, white, black, seat FROM league_versions"):
            self._remember(fingerprint, Pair(white, black), Seat(seat))
        for fingerprint, white, black, day in store.rows("SELECT fingerprint, white, black, day FROM league_games"):
            self._own(fingerprint, Pair(white, black), day)

    def hear(self, data: bytes, reporter: Address, day: str) -> Answer:
        """Judge a report that came from an address on a day (of the league's time zone), and take down what is accepted."""
        report = read_report(data)
        if isinstance(report, Unknown):
            return Answer(Word.UNKNOWN)
        if isinstance(report, Impossible):
            return Answer(Word.IMPOSSIBLE, report.number)
        identity = self.roster.identity
        pair = pair_of(identity(reporter), identity(report.opponent), report.seat)
        fingerprint = report.game.fingerprint
        versions = self._versions.get((fingerprint, pair), frozenset())
        known = Registered(self._owners.get(fingerprint), versions, (pair, day) in self._days)
        answer = judge(report.seat, pair, known)
        if answer.word in (Word.PENDING, Word.CONFIRMED):
            self.store.write(
                "INSERT INTO league_versions (fingerprint, white, black, seat, reporter, day, report) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (fingerprint, pair.white, pair.black, report.seat, shown(reporter), day, data),
            )
            self._remember(fingerprint, pair, report.seat)
        if answer.word is Word.CONFIRMED:
            self.store.write(
                "INSERT INTO league_games (fingerprint, white, black, day, report) VALUES (?, ?, ?, ?, ?)",
                (fingerprint, pair.white, pair.black, day, data),
            )
            self._own(fingerprint, pair, day)
        return answer

    def _remember(self, fingerprint: Fingerprint, pair: Pair, seat: Seat) -> None:
        key = (fingerprint, pair)
        self._versions[key] = self._versions.get(key, frozenset()) | {seat}

    def _own(self, fingerprint: Fingerprint, pair: Pair, day: str) -> None:
        self._owners[fingerprint] = pair
        self._days.add((pair, day))

    @property
    def counted(self) -> tuple[int, int]:
        """How many versions are registered, and how many games confirmed."""
        return sum(len(seats) for seats in self._versions.values()), len(self._owners)


def confirmed_games(store: Store) -> Iterator[Confirmed]:
    """Return the confirmed games of a data folder in the order of their confirmation."""
    for number, white, black, day, data in store.rows(
        "SELECT number, white, black, day, report FROM league_games ORDER BY number"
    ):
        report = read_report(data)
        if not isinstance(report, Report):
            raise LeagueError(f"game {number} of the league is damaged in {store.folder}")
        yield Confirmed(number, Pair(white, black), day, report)


def pending_games(store: Store) -> int:
    """Return how many versions wait for the other side's."""
    ((waiting,),) = store.rows(
        "SELECT count(*) FROM league_versions v WHERE NOT EXISTS "
        "(SELECT 1 FROM league_games g WHERE g.fingerprint = v.fingerprint)"
    )
    return int(waiting)
