"""One party of an election at the command line: from its wishes to its verdict."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from arbitre.cli.speech import said
from arbitre.crypto.keys import Key
from arbitre.elections import Mode, Terms, Verdict
from arbitre.elections.call import Call
from arbitre.elections.election import Election, HubElection, PeerElection
from arbitre.elections.journal import FileJournal, Journal
from arbitre.elections.live import choosing, repeater, take_part, write_transcript
from arbitre.elections.party import Happening, What
from arbitre.elections.ruling import LONGEST_VALUE
from arbitre.elections.terms import USUAL_HASH, USUAL_STATES
from arbitre.elections.transport import Channel, Disturbance, GroupChannel, HubChannel, MeshChannel, read_address
from arbitre.errors import ElectionError, TermsError, UndecidedError
from arbitre.reasons import N_, Reason
from arbitre.values import value


@value
class Wishes:
    """What the command line asks for."""

    name: str
    choose: int | None
    parties: int | None
    states: int | None
    hash: str | None
    game: str
    announced: bool
    keys: tuple[tuple[str, str], ...]
    key: Key | None
    hub_key: bytes | None
    faults: int | None
    liars: int | None
    said: Path
    """The folder in which what this party's key has signed is kept."""
    gather: float
    limits: tuple[float | None, float | None]
    delay: float
    interface: str
    hops: int
    weather: tuple[float, float, float] | None

    def call(self, parties: int | None) -> Call:
        """Return the call of an election among peers."""
        many = len(self.keys) or parties
        if many is None:
            raise TermsError("how many take part? say --parties, or give a --roster")
        mode = Mode.STRONG if self.keys else Mode.DRAFT
        if mode is Mode.STRONG and not self.game:
            raise TermsError("strong mode without a hub needs the name of the game, --game, never used before")
        terms = Terms(self.states or USUAL_STATES, self.hash or USUAL_HASH, mode, self.game, self.announced)
        return Call(terms, many, *self.limits, self.delay, self.faults, self.keys, "", self.liars or 0)

    def check(self, call: Call) -> None:
        """Refuse what a hub calls for if it is not what was asked for."""
        for what, wanted, given in (
            (Reason("states"), self.states, call.terms.states),
            (Reason("hash"), self.hash, call.terms.hash),
            (Reason("parties"), self.parties, call.parties),
            (Reason("number of liars"), self.liars, call.liars),
            (Reason("roster"), self.keys or None, call.keys),
        ):
            if wanted is not None and wanted != given:
                raise ElectionError("the hub plays with another %(what)s than was asked for", what=what)
        if call.terms.mode is Mode.STRONG:
            if self.key is None:
                raise ElectionError("the hub plays in strong mode: give the --roster of the group")
            _tell(Reason("group %(group)s", group=call.fingerprint))

    def journals(self, tag: bytes, name: str) -> Journal:
        """Return the journal of a call: on disk, where this party signs."""
        return Journal() if self.key is None else FileJournal(self.said, tag, name, self.key)


@value
class Held:
    """An election that was held; `why` says why it has no verdict, where it has none."""

    verdict: Verdict | None
    election: Election
    why: Reason | None = None

    def record(self, path: Path) -> None:
        """Keep the transcript; those of earlier attempts beside it."""
        if not self.election.parties:
            return
        *earlier, last = self.election.parties
        for number, party in enumerate(earlier, start=1):
            write_transcript(path.with_name(f"{path.name}.{number}"), party)
        write_transcript(path, last)


async def hold(wishes: Wishes, address: str | None, listen: str | None, peers: Sequence[str], verbose: bool) -> Held:
    """Take part in one election."""
    election, channel = _means(wishes, address, listen, peers)

    def tell(happening: Happening) -> None:
        if verbose:
            why = N_("%(player)s: %(why)s") if happening.player else N_("%(why)s")
            words = TOLD.get(happening.what) or (why if happening.why is not None else happening.what.value)
            _tell(Reason(words, player=happening.player, why=happening.why or ""))

    try:
        return Held(await take_part(election, channel, tell, _value), election)
    except UndecidedError as error:
        return Held(None, election, error.reason)


TOLD = {
    What.JOINED: N_("%(player)s is here"),
    What.COMMITTED: N_("%(player)s has committed"),
    What.REVEALED: N_("%(player)s has revealed"),
    What.CONVICTED: N_("convicted: %(player)s %(why)s"),
    What.EXCLUDED: N_("without %(player)s: %(why)s"),
    What.SETTLED: N_("settled: %(player)s%(why)s"),
    What.UNDECIDED: N_("undecided"),
}
"""What is told of what happens; the rest says itself why."""


def _tell(reason: Reason) -> None:
    click.echo("arbitre: " + said(reason), err=True)


def _means(wishes: Wishes, address: str | None, listen: str | None, peers: Sequence[str]) -> tuple[Election, Channel]:
    choose = choosing(wishes.choose)
    where = read_address(address) if address is not None else None
    if where is not None and not where.multicast:
        return (
            HubElection(wishes.name, choose, wishes.key, wishes.check, wishes.hub_key, wishes.journals),
            HubChannel(wishes.name, where, wishes.gather),
        )
    parties = wishes.parties if where is not None or wishes.parties is not None else len(peers) + 1
    call = wishes.call(parties)
    if wishes.keys:
        _tell(Reason("group %(group)s", group=call.fingerprint))
    else:
        _tell(Reason("draft mode: nobody signs, so whoever lies can divide the others"))
    repeats = where is not None
    election = PeerElection(call, wishes.name, choose, wishes.key, wishes.gather, repeats=repeats, journals=wishes.journals)
    if where is None:
        here = read_address(listen) if listen else None
        return election, MeshChannel(wishes.name, here, [read_address(peer) for peer in peers], call.parties)
    weather = Disturbance(*wishes.weather, seed=wishes.name) if wishes.weather else None
    speaker = repeater(call, wishes.name, wishes.key)
    return election, GroupChannel(wishes.name, where, speaker, interface=wishes.interface, hops=wishes.hops, weather=weather)


async def _value() -> bytes:
    """Read the announced value from standard input."""
    _tell(Reason("all is revealed; the announced value, on one line:"))
    line: str = await asyncio.to_thread(sys.stdin.readline, LONGEST_VALUE)
    return line.strip().encode()[:LONGEST_VALUE]
