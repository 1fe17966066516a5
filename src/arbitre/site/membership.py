"""A site as one node among several that share a database: it joins, says every second that it is there, takes over, and leaves.

`records.nodes` says why nothing is played twice. Here is when: a node that was silent for its time to live is buried by whoever
notices it first, who takes over its matches in the same transaction and goes on with them as after a crash: the same questions
under the same names, nobody charged for the time between. Who was away himself (the database was restarted, the machine slept)
buries nobody before he has been back for as long: then everybody else has had the time to say that he is there.

A node that finds out that it was buried is **lost**: whatever it still holds is played elsewhere, so it lets go of everything,
and the site is opened anew as the next incarnation (`cli.serve`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from logging import getLogger
from time import monotonic, time

from arbitre.errors import NameHeldError, StoreError
from arbitre.records import nodes
from arbitre.records.backend import Execute, T, open_aside
from arbitre.records.nodes import BEAT_SECONDS, LIFE_SECONDS, Node, NodeRole, Said, Standing
from arbitre.records.shared import Shared
from arbitre.records.store import Store
from arbitre.site.arena.matches import ArenaMatches
from arbitre.transport.limits import Spending

LOG = getLogger("arbitre.nodes")

MOST_TOLD = 40
"""Matches that a node tells the others of: a page shows no more."""


class Membership:
    """This process among the nodes of its database."""

    def __init__(self, store: Store, name: str, address: str, keys: str = "") -> None:
        self.name = name
        self._keys = keys
        """The mark of our keys: all nodes have the same."""
        self.address = address
        """Where other nodes reach us."""
        self._store = store
        self._aside = open_aside(store.place)
        self._thread = ThreadPoolExecutor(1, "arbitre-node")
        """Who waits for the database elsewhere must not keep us from saying that we are there."""
        self._task: asyncio.Task[None] | None = None
        self.lost = asyncio.Event()
        """Set when we were buried, or can keep nothing more."""
        self.ahead = 0.0
        """How many seconds the database's clock is ahead of ours."""
        self.dismissed = asyncio.Event()
        """Set when the operator has asked us to leave."""
        self.left = False
        """Whether we have handed everything over."""
        self._living: frozenset[str] = frozenset()
        """Where the nodes are reached that live, as we last heard."""
        self.roles: frozenset[NodeRole] = frozenset()
        """What we see to for all nodes."""
        self.going: Callable[[], tuple[tuple[int, str], ...]] = tuple
        """Says which matches go on here that anybody may watch: number and name, the newest first."""
        self.elsewhere: tuple[str, ...] = ()
        """Those that go on at other nodes, by name, the newest first, as we last heard."""
        self.shared = Shared(open_aside(store.place))
        """What all nodes count together, and do once."""
        self.spent = Spending()
        """What visitors have spent, here and at other nodes."""
        self.on_others: Callable[[int], None] = lambda _: None
        """Called with each beat: how many other nodes there are."""
        self.on_inherited: Callable[[], None] = lambda: None
        """Called when there may be matches that are ours to see to from now on."""
        self.on_role: Callable[[NodeRole], Awaitable[None]] = _nothing
        """Called with each role that is ours from now on."""

    async def join(self) -> Node:
        """Come as a new incarnation; whoever has our name elsewhere may be dying, and is waited for as long as that takes."""
        until = monotonic() + LIFE_SECONDS + BEAT_SECONDS
        while True:
            try:
                node = await self._do(lambda execute: nodes.join(execute, self.name, self.address, self._keys))
                break
            except NameHeldError:
                if monotonic() > until:
                    raise
                await asyncio.sleep(BEAT_SECONDS / 4)
        self._store.join(node)
        await self._do(lambda execute: self._inherited(execute, node, judge=False))
        self.roles = await self._do(lambda execute: nodes.roles_of(execute, node.id))
        await self._look()
        self.shared.node = node
        return node

    def start(self) -> None:
        """Begin to say that we are there."""
        self._task = asyncio.ensure_future(self._course())

    async def close(self) -> None:
        """Leave, if we have not, and hang up; whatever we saw to must have stopped."""
        with suppress(StoreError):  # the database may be away; the others bury us then
            await self.leave()
        await asyncio.to_thread(self._aside.close)
        await asyncio.to_thread(self.shared.close)
        self._thread.shutdown(wait=False)

    async def leave(self) -> None:
        """Hand everything that is ours to see to over to the others, and be no node any more."""
        if (task := self.hush()) is not None:
            await asyncio.gather(task, return_exceptions=True)
        node = self._store.node
        if node is not None and not self.left and not self.lost.is_set():
            await self._do(lambda execute: _hand_over(execute, node))
        self.left = True

    def hush(self) -> "asyncio.Task[None] | None":
        """Say no more that we are there; return what still has to end."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        return task

    # ── every second ───────────────────────────────────────────────────────────────────────────────────────────────

    async def _course(self) -> None:
        last = since = monotonic()
        """When we were last heard, and since when without a break."""
        while not self.lost.is_set():
            await asyncio.sleep(BEAT_SECONDS)
            if monotonic() - last > 2 * BEAT_SECONDS:
                since = monotonic()
            try:
                heard = await self._beat(judge=monotonic() - since > LIFE_SECONDS)
            except StoreError as error:
                since = monotonic()
                LOG.warning("the node %s is not heard: %s", self.name, error)
                continue
            last = monotonic()
            if not heard:
                LOG.error("the node %s was silent for too long, and another has taken over from it", self.name)
                self.lost.set()
            elif self._store.failed:
                LOG.error("the node %s can keep nothing more, and lets go of everything: %s", self.name, self._store.failed)
                self.lost.set()

    async def _beat(self, *, judge: bool) -> bool:
        """Say that we are there, look who is not, and tell whether we still may be."""
        node = self._store.node
        going = " ".join(f"{number}:{name}" for number, name in self.going()[:MOST_TOLD])
        told = Said(going, self.spent.told())
        stays = None if node is None else await self._do(lambda execute: nodes.beat(execute, node, told))
        if node is None or stays is None:
            return False
        if not stays:
            self.dismissed.set()
        try:
            if await self._do(lambda execute: _due(execute, node, judge=judge)):
                await self._do(lambda execute: self._inherited(execute, node, judge=judge))
        except StoreError as error:  # what is in its way is gone with one of the next beats, or so is the database
            LOG.warning("the node %s cannot take over now: %s", node.id, error)
        self.on_inherited()
        await self._look()
        others = await self._do(lambda execute: nodes.said(execute, node))
        self.elsewhere = _newest(one.going for one in others.values())
        self.spent.hear({name: one.spent for name, one in others.items()})
        self.on_others(len(others))
        for role in await self._do(lambda execute: nodes.roles_of(execute, node.id)) - self.roles:
            await self._take(role)
        return True

    async def _look(self) -> None:
        """Look who lives, and what time it is for all."""
        self._living, now = await self._do(lambda execute: (nodes.addresses(execute), nodes.now(execute)))
        self.ahead = self.shared.ahead = now - time()

    async def _take(self, role: NodeRole) -> None:
        """Begin to see to something for all; where that fails it is tried again with the next beat, for nobody else will."""
        self.roles |= {role}
        try:
            await self.on_role(role)
        except Exception:  # whatever it is, who says no more that he is there sees to nothing at all
            self.roles -= {role}
            LOG.exception("the node %s cannot see to the %s", self.name, role)

    def _inherited(self, execute: Execute, node: Node, *, judge: bool) -> None:
        """Bury who was silent for too long, and take over what nobody sees to: one transaction."""
        dead = nodes.bury(execute, node, judge=judge)
        if dead is None:
            return  # the next beat says so
        nodes.give_roles(execute, nodes.unheld(execute), node.id)
        taken = ArenaMatches.claim(execute, node.id)
        if dead or taken:
            LOG.warning("the node %s takes over %d matches; silent: %s", node.id, len(taken), ", ".join(dead) or "nobody")

    def now(self) -> float:
        """Return what the clock of the database says, as far as we have heard."""
        return time() + self.ahead

    # ── looking ────────────────────────────────────────────────────────────────────────────────────────────────────

    def lives(self, address: str) -> bool:
        """Tell whether a node that lives is reached at an address, as far as we have heard; a node that left hears nothing."""
        return self.left or address in self._living

    @property
    def peers(self) -> frozenset[str]:
        """Where the other nodes are reached that live, as far as we have heard."""
        return self._living - {self.address}

    async def others(self) -> bool:
        """Tell whether some other node lives."""
        try:
            return any(one.alive and one.id != self.name for one in await self.standings())
        except StoreError:
            return False

    async def shares(self) -> dict[str, int]:
        """Return how many matches that are not over each node sees to."""
        return await self._do(ArenaMatches.shares)

    async def dismiss(self, name: str) -> None:
        """Ask a node to leave; `UnknownError`."""
        await self._do(lambda execute: nodes.dismiss(execute, name))

    async def standings(self) -> tuple[Standing, ...]:
        """Return all nodes."""
        return await self._do(nodes.standings)

    async def _do(self, work: Callable[[Execute], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._aside.transact, work)


def _newest(told: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the matches that nodes told of, the newest first."""
    found = [one.partition(":") for said in told for one in said.split()]
    return tuple(name for number, _, name in sorted(found, key=lambda one: -int(one[0])))


def _due(execute: Execute, node: Node, *, judge: bool) -> bool:
    """Tell whether there is something to take over."""
    return ArenaMatches.orphans(execute) or bool(nodes.unheld(execute)) or (judge and nodes.silent(execute, node))


def _hand_over(execute: Execute, node: Node) -> None:
    """Leave, and give everything to who sees to least; matches of competitions stay with their steward so."""
    others = nodes.leave(execute, node)
    if others is None:
        return
    shares = ArenaMatches.shares(execute)
    heir = min(others, key=lambda one: shares.get(one, 0), default="")
    ArenaMatches.hand_over(execute, node.id, heir)
    if heir:
        nodes.give_roles(execute, nodes.roles_of(execute, node.id), heir)


async def _nothing(_: NodeRole) -> None:
    """Hear of roles before anybody does something about them."""
