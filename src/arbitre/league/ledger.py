"""The registrar's ledger: which versions of which games were accepted, and which games are confirmed (spec: draughts, section 3).

`Ledger.hear` judges one report and takes it down in one step without waiting, so two reports of the same instant are judged one
after the other. What it took down is safe when the store's `durable` is done; nobody may be told before. What lies in the store
is all there is: a ledger opened again answers as the one before would have.

Whoever reports games that nobody confirms could fill the disk. So only so many versions of one address may wait, and of one
network (`BOUNDS`); one more is answered `ERR : inconnue`, and nothing of it is kept. The protocol has no fitter word: a first
report never gets `TIM`, and robots send again what was unknown. A confirmation makes room. But whoever has a whole IPv6 network
is as many players as he likes, who can confirm each other's games: so only so many versions of a network are taken down in one
day, too (`DAILY`). Of those beyond, a first one is unknown, and a second one may come again tomorrow: `TIM`.
"""

from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TypeAlias

from arbitre.errors import LeagueError, refusal, shorten
from arbitre.games.game import Seat
from arbitre.league.report import (
    SIZE,
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
from arbitre.values import value

LONGEST_GROUP = 80

BOUNDS = (1_024, 8_192)
"""How many versions may wait for the other side's: of one IPv4 address or one IPv6 network of 64 bits, which is one connection;
and of one IPv6 network of 48 bits, which is one customer. A version takes less than a kilobyte of disk."""

DAILY = (32_768, 131_072)
"""How many versions of the same networks are taken down in one day. A hundred groups in one room can report 9,900 games."""


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

    def name_of(self, kept: str) -> Identity:
        """Return what somebody is called who was kept by name or address: games from before the roster count for the group."""
        return self.identity(mapped(kept)) if _is_address(kept) else Identity(kept)

    def pair(self, white: str, black: str) -> Pair:
        """Return a pair that was kept, under the names of today."""
        return Pair(self.name_of(white), self.name_of(black))


NOBODY = Roster()


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
            raise LeagueError(
                "line %(number)s of the roster: %(word)r is no address or prefix", number=number, word=shorten(word)
            ) from None
        if not name or len(name) > LONGEST_GROUP or _is_address(name):
            raise LeagueError("line %(number)s of the roster: %(name)r is no name of a group", number=number, name=shorten(name))
        groups.append((network, name))
    return Roster(tuple(sorted(groups, key=lambda group: -group[0].prefixlen)))


def open_roster(path: Path) -> Roster:
    """Read the file of a roster; `LeagueError` says what is wrong with it."""
    try:
        return read_roster(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise LeagueError(
            "the roster %(path)r cannot be read: %(strerror)s", path=shorten(str(path)), strerror=refusal(error)
        ) from None
    except UnicodeDecodeError:
        raise LeagueError("the roster %(path)r is no UTF-8 text", path=shorten(str(path))) from None


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


@value
class Version:
    """One side's report, accepted: who sent it, and when.

    The moves of a version that waits are nobody else's business: a pair that knew them could claim the game first.
    """

    pair: Pair
    seat: Seat
    reporter: Identity
    day: str


def networks(address: Address) -> tuple[IPv6Network, ...]:
    """Return the networks that a reporter is counted in, as `BOUNDS` orders them."""
    lengths = (128,) if address.ipv4_mapped else (64, 48)
    return tuple(IPv6Network((address, length), strict=False) for length in lengths)


def release(held: Counter[IPv6Network], address: Address) -> None:
    """Count an address out of its networks; those that hold nothing more are forgotten."""
    for network in networks(address):
        held[network] -= 1
        if held[network] <= 0:
            del held[network]


class Ledger:
    """What is registered."""

    def __init__(self, store: Store, roster: Roster | None = None) -> None:
        self.store = store
        self.roster = roster or Roster()
        self._versions: dict[tuple[Fingerprint, Pair], frozenset[Seat]] = {}
        self._owners: dict[Fingerprint, Pair] = {}
        self._days: set[tuple[Pair, str]] = set()
        self._waiting: Counter[IPv6Network] = Counter()
        self._reporters: dict[Fingerprint, list[Address]] = {}
        """Of the versions of a game that is not confirmed."""
        self._today = ""
        self._daily: Counter[IPv6Network] = Counter()
        """Versions taken down today."""
        for fingerprint, white, black, seat, reporter in store.rows(
            "SELECT fingerprint, white, black, seat, reporter FROM league_versions"
        ):
            self._remember(fingerprint, self.roster.pair(white, black), Seat(seat), mapped(reporter))
        for fingerprint, white, black, day in store.rows("SELECT fingerprint, white, black, day FROM league_games"):
            self._own(fingerprint, self.roster.pair(white, black), day)

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
        if answer.word is Word.PENDING and not (self.room_for(reporter) and self.time_for(reporter, day)):
            return Answer(Word.UNKNOWN)
        if answer.word is Word.CONFIRMED and not self.time_for(reporter, day):
            return Answer(Word.TOMORROW)
        if answer.word in (Word.PENDING, Word.CONFIRMED):
            self.store.write(
                "INSERT INTO league_versions (fingerprint, white, black, seat, reporter, day, report) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (fingerprint, pair.white, pair.black, report.seat, shown(reporter), day, data),
            )
            self._remember(fingerprint, pair, report.seat, reporter)
            self._daily.update(networks(reporter))
        if answer.word is Word.CONFIRMED:
            self.store.write(
                "INSERT INTO league_games (fingerprint, white, black, day, report) VALUES (?, ?, ?, ?, ?)",
                (fingerprint, pair.white, pair.black, day, data),
            )
            self._own(fingerprint, pair, day)
        return answer

    def room_for(self, reporter: Address) -> bool:
        """Tell whether one more version of this reporter may wait."""
        return all(self._waiting[network] < most for network, most in zip(networks(reporter), BOUNDS, strict=False))

    def time_for(self, reporter: Address, day: str) -> bool:
        """Tell whether one more version of this reporter may be taken down on a day."""
        if day != self._today:
            # of a day that comes nothing can be there yet; of the one that a ledger is opened on, or set back to, there can
            known = (
                [] if day > self._today > "" else self.store.rows("SELECT reporter FROM league_versions WHERE day = ?", (day,))
            )
            self._today = day
            self._daily = Counter(network for (one,) in known for network in networks(mapped(one)))
        return all(self._daily[network] < most for network, most in zip(networks(reporter), DAILY, strict=False))

    def _remember(self, fingerprint: Fingerprint, pair: Pair, seat: Seat, reporter: Address) -> None:
        key = (fingerprint, pair)
        self._versions[key] = self._versions.get(key, frozenset()) | {seat}
        self._reporters.setdefault(fingerprint, []).append(reporter)
        self._waiting.update(networks(reporter))

    def _own(self, fingerprint: Fingerprint, pair: Pair, day: str) -> None:
        """Give a game to a pair; no version of it waits any more, strangers' neither."""
        self._owners[fingerprint] = pair
        self._days.add((pair, day))
        for reporter in self._reporters.pop(fingerprint, ()):
            release(self._waiting, reporter)

    @property
    def counted(self) -> tuple[int, int]:
        """How many versions are registered, and how many games confirmed."""
        return sum(len(seats) for seats in self._versions.values()), len(self._owners)


def confirmed_games(store: Store, after: int = 0, roster: Roster = NOBODY) -> Iterator[Confirmed]:
    """Return the confirmed games of a data folder behind a number, in the order of their confirmation."""
    for row in confirmed_rows(store, after):
        yield read_confirmed(row, store, roster)


ConfirmedRow: TypeAlias = tuple[int, str, str, str, bytes]


def confirmed_rows(store: Store, after: int = 0) -> list[ConfirmedRow]:
    """Return confirmed games as they are kept; reading one replays it, which takes some milliseconds."""
    return store.rows("SELECT number, white, black, day, report FROM league_games WHERE number > ? ORDER BY number", (after,))


def read_confirmed(row: ConfirmedRow, store: Store, roster: Roster = NOBODY) -> Confirmed:
    """Return a confirmed game as it was kept, its players as the roster calls them."""
    number, white, black, day, data = row
    report = read_report(data)
    if not isinstance(report, Report):
        raise LeagueError("game %(number)s of the league is damaged in %(folder)s", number=number, folder=store.folder)
    return Confirmed(number, roster.pair(white, black), day, report)


VERSIONS = "SELECT white, black, seat, reporter, day FROM league_versions v WHERE "


def versions_of(store: Store, game: Confirmed, roster: Roster = NOBODY) -> tuple[Version, ...]:
    """Return the two reports that confirmed a game, white's first."""
    rows = store.rows(VERSIONS + "fingerprint = ? ORDER BY seat", (game.report.game.fingerprint,))
    found = (_version(row, roster) for row in rows)
    return tuple(one for one in found if one.pair == game.pair)


def report_of(store: Store, game: Confirmed, seat: Seat, roster: Roster = NOBODY) -> bytes | None:
    """Return one side's report of a confirmed game, as it was sent and filled up."""
    query = "SELECT white, black, report FROM league_versions WHERE fingerprint = ? AND seat = ?"
    rows = store.rows(query, (game.report.game.fingerprint, seat))
    found = (bytes(data) for white, black, data in rows if roster.pair(white, black) == game.pair)
    return next((data[:SIZE].ljust(SIZE, b"\0") for data in found), None)


def waiting_versions(store: Store, most: int, roster: Roster = NOBODY) -> tuple[Version, ...]:
    """Return versions that wait for the other side's, the newest first."""
    unconfirmed = "NOT EXISTS (SELECT 1 FROM league_games g WHERE g.fingerprint = v.fingerprint)"
    rows = store.rows(VERSIONS + unconfirmed + " ORDER BY number DESC LIMIT ?", (most,))
    return tuple(_version(row, roster) for row in rows)


def _version(row: tuple[str, str, int, str, str], roster: Roster) -> Version:
    white, black, seat, reporter, day = row
    return Version(roster.pair(white, black), Seat(seat), roster.name_of(reporter), day)


def pending_games(store: Store) -> int:
    """Return how many versions wait for the other side's."""
    ((waiting,),) = store.rows(
        "SELECT count(*) FROM league_versions v WHERE NOT EXISTS "
        "(SELECT 1 FROM league_games g WHERE g.fingerprint = v.fingerprint)"
    )
    return int(waiting)
