"""What a bot's author imports to play at the arcade, and the visitor that speaks for it.

    from arbitre.arcade.visitor import Player, join

    class Mirror(Player):
        def throw(self, past):
            return past[-1].theirs if past else "PIERRE"

    print(join("localhost:3232", Mirror()).reason)

A player chooses signs; the visitor makes the commitments, checks the other's, keeps the score for itself and calls the referee
when an opening is false. It believes nothing that the server says about the game: it judges every line by the same rules.
`Visitor` has no socket of its own, `join` lends it one (spec: arcade, sections 1, 4 and 5).
"""

import os
import socket
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence

from arbitre.arcade.bout import HUNG_UP, ROLES, Finish, Issue, News
from arbitre.arcade.ledger import Ledger
from arbitre.arcade.side import Side, Throw
from arbitre.arcade.terms import LEVELS, Checks, Encoding, Terms
from arbitre.arcade.voice import comment, fingerprint
from arbitre.arcade.wire import SIGNS, LineReader, Sign
from arbitre.crypto.elgamal import Key
from arbitre.crypto.groups import oakley
from arbitre.crypto.keys import KEY_BYTES
from arbitre.crypto.keys import Key as SigningKey
from arbitre.errors import PlayerGarbledError, PlayerLeftError, refusal, shorten
from arbitre.games.game import FIRST, Seat, other
from arbitre.reasons import Reason
from arbitre.records.event import Kind, write_reason
from arbitre.records.record import Record
from arbitre.referee.runner import Memory
from arbitre.referee.terms import Chair

PORT = 3232

GREETING_SECONDS = 2.0
"""How long we wait to be greeted before we go first."""

LAST_SECONDS = 10.0
"""How long we wait for the last words."""

MOST_HEARD = 10_000
"""Comments that are kept: more than any match has."""

SILENCE_SECONDS = 600.0
"""How long we wait for the other side before we hang up."""


class Player(ABC):
    """Whoever chooses signs; made anew for each match."""

    name = "joueur"

    @abstractmethod
    def throw(self, past: Sequence[Throw]) -> Sign | str:
        """Choose PIERRE, FEUILLE or CISEAUX; `past` holds what was shown in every round, `mine` and `theirs`."""

    def waits(self, code: str) -> None:  # noqa: B027 - most players know where they sit
        """Hear under which code the house keeps a table until the other comes."""

    def told(self, news: News, visitor: "Visitor") -> None:  # noqa: B027 - most players do not listen
        """Hear what happens; to be overridden by whoever likes to watch."""

    def side(self, seat: Seat) -> Side:
        """Sit down: the side that plays this player's signs; to be overridden by whoever likes to cheat."""
        return Side(seat, Chooser(self), Key(oakley(14)))


class Chooser:
    """A hand that asks a player."""

    def __init__(self, player: Player) -> None:
        self.player = player

    def throw(self, past: Sequence[Throw]) -> Sign:
        """Choose the sign of the next round."""
        chosen = self.player.throw(past)
        if isinstance(chosen, Sign):
            return chosen
        if chosen not in SIGNS:
            raise PlayerGarbledError("no-hand", given=shorten(str(chosen), 20))
        return SIGNS[chosen]


class Visitor:
    """One match from a player's chair: octets in, octets out."""

    def __init__(
        self,
        player: Player,
        *,
        table: str = "",
        level: str = "",
        language: str = "",
        terms: Terms | None = None,
        key: SigningKey | None = None,
    ) -> None:
        self.player = player
        self.key = key or SigningKey(os.urandom(KEY_BYTES))
        """Who signs our own record of the match."""
        self.journal = Memory()
        self.ledger: Ledger | None = None
        self.side: Side | None = None
        self.heard: deque[str] = deque(maxlen=MOST_HEARD)
        """The comments of the other end, as they came."""
        self._wishes = {"name": player.name, "table": table, "level": level, "language": language}
        self._terms = terms or Terms("Duel")
        self._names = ["joueur", "adversaire"]
        self._seat = FIRST
        self._match = ""
        self._reader = LineReader()
        self._out: list[str] = []

    def hello(self) -> bytes:
        """Return what is sent first: who we are and what we wish, in comments that a plain server ignores."""
        wishes = [comment(f"{word} {wish}") for word, wish in self._wishes.items() if wish]
        if not self._wishes["table"]:
            wishes.append("# begin")
        return "".join(f"{line}\n" for line in wishes).encode("ascii")

    def receive(self, data: bytes) -> bytes:
        """Take octets as they arrive; return what is to be sent."""
        for line in self._reader.receive(data):
            self._line(line)
        out, self._out = self._out, []
        return "".join(f"{line}\n" for line in out).encode("ascii")

    def begin(self) -> bytes:
        """Go first, where the other end greets nobody: neither side need wait for the other."""
        self._sit()
        self._speak()
        return self.receive(b"")

    def lost(self) -> None:
        """Take note that the other end is gone: the referee's last word, if there was one, says whose fault it was."""
        if self.ledger is None or self.ledger.over:
            return
        word = next((line[2:].split(maxsplit=2) for line in reversed(self.heard) if line.startswith("# over ")), ["over"])
        mine = len(word) > 1 and word[1] == ROLES[other(self._seat)]
        self._hear(
            Kind.LEFT,
            self._seat if mine else other(self._seat),
            write_reason(Reason("quoted", text=word[2]) if len(word) > 2 else HUNG_UP),
        )

    @property
    def finish(self) -> Finish | None:
        """How the match ended, by our own book."""
        return None if self.ledger is None else self.ledger.bout.finish

    @property
    def fingerprint(self) -> str:
        """The short name of both keys, to be compared with the other person's."""
        return "" if self.ledger is None or None in self.ledger.bout.locks else fingerprint(self.ledger.bout)

    def record(self) -> Record:
        """Return our own record of the match, signed."""
        if self.ledger is None or not self.ledger.over:
            raise PlayerLeftError("the match is not over")
        self.ledger.seal()
        return self.journal.record()

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _line(self, line: str) -> None:
        text = line.strip(" \t\r")
        if text.startswith("#"):
            self.heard.append(text)
            self._comment(text[1:].split())
            return
        if text:
            self._sit()
            self._hear(Kind.SAID, other(self._seat), line)
            self._speak()

    def _comment(self, words: list[str]) -> None:
        """Learn from the greeting what is played here; afterwards comments change nothing."""
        if self.ledger is not None:
            return
        match words:
            case ["arbitre", "arcade", "1", "record", match]:
                self._match = match[:40]
            case ["table", code]:
                self.player.waits(code[:40])
            case ["level", level]:
                self._terms = LEVELS.get(level, Terms(level[:20]))
            case ["encoding", "ascii" | "subgroup" as encoding]:
                self._terms = _with(self._terms, encoding=Encoding(encoding))
            case ["checks", "none" | "course" | "full" as checks]:
                self._terms = _with(self._terms, checks=Checks(checks))
            case ["seat", "joueur" | "adversaire" as role, *names]:
                self._seat = Seat(ROLES.index(role))
                self._introduced(" ".join(names))
                self._sit()
                self._speak()

    def _introduced(self, names: str) -> None:
        mine, _, theirs = names.partition(" against ")
        self._names[self._seat] = mine[:80] or self._names[self._seat]
        self._names[other(self._seat)] = theirs[:80] or self._names[other(self._seat)]

    def _sit(self) -> None:
        if self.ledger is None:
            chairs = (Chair(self._names[0]), Chair(self._names[1]))
            self.side = self.player.side(self._seat)
            oracle = self.side.oracle
            self.ledger = Ledger(
                self._terms, chairs, self.journal, self.key, keeper=ROLES[self._seat], name=self._match, oracle=oracle
            )

    def _hear(self, kind: Kind, seat: Seat, text: str) -> None:
        assert self.ledger is not None  # noqa: S101 - seated before anything is heard
        assert self.side is not None  # noqa: S101
        if self.ledger.over:
            return  # whatever the other end still says, our book is closed
        for news in self.ledger.hear(kind, seat, text):
            if isinstance(news, Issue):
                self.side.see(news)
            self.player.told(news, self)

    def _speak(self) -> None:
        """Say whatever is due."""
        assert self.ledger is not None  # noqa: S101 - seated before anything is said
        assert self.side is not None  # noqa: S101
        while not self.ledger.over and (command := self.side.due(self.ledger.bout)) is not None:
            self._out.append(command.line())
            self._hear(Kind.SAID, self._seat, command.line())


def _with(terms: Terms, encoding: Encoding | None = None, checks: Checks | None = None) -> Terms:
    return Terms(terms.level, encoding or terms.encoding, checks or terms.checks, terms.groups, terms.goal, terms.rounds)


def join(
    address: str | tuple[str, int],
    player: Player,
    *,
    table: str = "",
    level: str = "",
    language: str = "",
    keep: Callable[[Visitor], None] | None = None,
    key: SigningKey | None = None,
) -> Finish:
    """Play one match at HOST:PORT and return how it ended.

    `table` is a code under which two people meet; `keep` is given the visitor afterwards, with its own record of the match,
    signed by `key`.
    """
    visitor = Visitor(player, table=table, level=level, language=language, key=key)
    with _connect(read_address(address)) as wire:
        try:
            wire.sendall(visitor.hello())
            _converse(wire, visitor)
        except TimeoutError:
            raise PlayerLeftError(
                "nothing was heard for %(silence_seconds)s seconds", silence_seconds=f"{SILENCE_SECONDS:g}"
            ) from None
        except (BrokenPipeError, ConnectionResetError):
            visitor.lost()
    finish = visitor.finish
    if finish is None:
        raise PlayerLeftError(
            "the arcade hung up before the match began; last heard: %(heard)r", heard=visitor.heard[-1] if visitor.heard else ""
        )
    if keep is not None:
        keep(visitor)
    return finish


def _converse(wire: socket.socket, visitor: Visitor) -> None:
    """Hear and speak until the other end hangs up, which it does when it has said its last word."""
    wire.settimeout(GREETING_SECONDS)
    try:
        data = wire.recv(65_536)
    except TimeoutError:
        wire.sendall(visitor.begin())
        data = b"\n"
    wire.settimeout(SILENCE_SECONDS)
    while data:
        wire.sendall(visitor.receive(data))
        if visitor.finish is not None:
            wire.settimeout(LAST_SECONDS)
        data = wire.recv(65_536)
    visitor.lost()


def _connect(address: tuple[str, int]) -> socket.socket:
    try:
        wire = socket.create_connection(address, timeout=SILENCE_SECONDS)
    except OSError as error:
        raise PlayerLeftError(
            "cannot reach %(address)s:%(address2)s: %(strerror)s",
            address=address[0],
            address2=address[1],
            strerror=refusal(error),
        ) from None
    wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return wire


def read_address(address: str | tuple[str, int]) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`; the port may be left out."""
    if isinstance(address, tuple):
        return address
    host, colon, port = address.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = address, str(PORT)
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
        raise PlayerLeftError("%(address)r is no HOST:PORT", address=address)
    return host.strip("[]") or "localhost", int(port)
