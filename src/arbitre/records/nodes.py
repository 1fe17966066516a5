"""The nodes of one database: who may commit, who has fallen silent, and who takes over from whom.

A node is one process that serves a site, under a name of its own. Each time it comes it is a new **incarnation**. While it lives
it says so every second in `heartbeats`; a node that was silent for three seconds may be buried by another.

**The fence.** Every commit of a node reads the node's own row, in the same transaction, with a lock that it shares with other
commits of that node (`FENCE`). Whoever buries a node takes that row for himself (`FOR UPDATE`) before he says that it is dead. So
each commit of a node is either before its burial, and then whoever took over sees all of it, or it finds no row, and nothing of
it is kept. No clock plays a part in that: clocks say only *when* somebody is buried, and that is the database's clock alone.

**Who hangs.** A process that was stopped, or cut off, in the middle of a statement holds that lock for as long as PostgreSQL
waits for the rest of it: no timeout of a session counts that. So who buries a node first ends its sessions: what they had open is
undone, or was committed just before, and the lock is free.

Joining, leaving and burying change who owns what; they happen one at a time (`ALONE`), and each statement sees all that was
committed before it began. Beats are in a table of their own, so that no commit ever waits for one, nor a beat for a commit.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from arbitre.errors import KeyFileError, NameHeldError, UnknownError, shorten
from arbitre.records.backend import Execute
from arbitre.values import value

BEAT_SECONDS = 1.0
"""So often a node says that it is there."""
LIFE_SECONDS = 3.0
"""Who has not said so for so long may be buried."""

FENCE = "SELECT 1 FROM nodes WHERE id = ? AND incarnation = ? AND alive FOR SHARE"
"""Finds a row where this incarnation may commit, and keeps everybody from burying it until the commit is over."""
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '/nodes', 0))"
IMPATIENT = "SELECT set_config('lock_timeout', '1s', true)"
"""Who buries gives up and tries again with a later beat: its own beats must not wait with it."""
END_SESSIONS = """
SELECT pg_terminate_backend(a.pid) FROM nodes n JOIN pg_stat_activity a ON a.application_name = n.sessions
WHERE n.id = ? AND n.sessions <> current_setting('application_name')
AND a.datname = current_database() AND a.usename = current_user
"""
"""Ends the sessions of a node that is another process than this; it may be the one before us of our own name."""
NOW = "EXTRACT(EPOCH FROM clock_timestamp())::float8"


@value
class Node:
    """One incarnation of a node."""

    id: str
    incarnation: int


@value
class Standing:
    """A node as others see it."""

    id: str
    incarnation: int
    alive: bool
    address: str
    """Where other nodes reach it."""
    silent: float | None
    """Seconds since it was last heard; None where it is dead, or has left."""
    dismissed: bool
    """Whether the operator has asked it to leave."""
    roles: tuple[str, ...]


def join(execute: Execute, name: str, address: str, keys: str = "") -> Node:
    """Come as a new incarnation: the one before it commits nothing more, and what it owned is ours.

    `NameHeldError` where a node of the same name, reached elsewhere, was heard just now: two would bury each other for ever.
    `KeyFileError` where the mark of our keys is not that of the first node that came.
    """
    execute(ALONE, ())
    if keys:
        execute("INSERT INTO house_keys (mark) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM house_keys)", (keys,))
        if not execute("SELECT 1 FROM house_keys WHERE mark = ?", (keys,)):
            raise KeyFileError("this node has other keys than the site in this database: give it those of the first node")
    heard = execute(
        f"SELECT n.address FROM nodes n JOIN heartbeats h ON h.node = n.id"  # noqa: S608
        f" WHERE n.id = ? AND n.alive AND n.address <> ? AND h.seen > {NOW} - ?",
        (name, address, LIFE_SECONDS),
    )
    if heard:
        raise NameHeldError("another node called %(name)s is open at %(address)s", name=name, address=heard[0][0])
    execute(END_SESSIONS, (name,))
    ((incarnation,),) = execute(
        "INSERT INTO nodes (id, incarnation, alive, address, sessions)"
        " VALUES (?, 1, true, ?, current_setting('application_name')) ON CONFLICT (id) DO UPDATE"
        " SET incarnation = nodes.incarnation + 1, alive = true, address = EXCLUDED.address, sessions = EXCLUDED.sessions"
        " RETURNING incarnation",
        (name, address),
    )
    execute(
        f"INSERT INTO heartbeats (node, incarnation, seen) VALUES (?, ?, {NOW}) ON CONFLICT (node) DO UPDATE"  # noqa: S608
        " SET incarnation = EXCLUDED.incarnation, seen = EXCLUDED.seen, dismissed = false",
        (name, incarnation),
    )
    return Node(name, incarnation)


@value
class Said:
    """What a node tells the others with each beat."""

    going: str = ""
    """The matches that it plays and that anybody may watch."""
    spent: str = ""
    """What visitors have spent there."""


def beat(execute: Execute, node: Node, said: Said | None = None) -> bool | None:
    """Say that a node is there; tell whether it may stay, or was asked to leave; None where it is dead."""
    query = f"UPDATE heartbeats SET seen = {NOW}, going = ?, spent = ? WHERE node = ? AND incarnation = ? RETURNING dismissed"  # noqa: S608
    said = said or Said()
    found = execute(query, (said.going, said.spent, node.id, node.incarnation))
    return not found[0][0] if found else None


def said(execute: Execute, node: Node) -> dict[str, Said]:
    """Return what the other nodes said with their last beats."""
    query = "SELECT node, incarnation, going, spent FROM heartbeats WHERE node <> ? ORDER BY node"
    return {f"{name}/{number}": Said(going, spent) for name, number, going, spent in execute(query, (node.id,))}


def dismiss(execute: Execute, name: str) -> None:
    """Ask a node to leave, which it does with its next beat; `UnknownError` where none of this name lives."""
    if not execute("UPDATE heartbeats SET dismissed = true WHERE node = ? RETURNING 1", (name,)):
        raise UnknownError("no node is called %(name)s, or it has gone", name=shorten(name, 60))


def silent(execute: Execute, node: Node) -> bool:
    """Tell whether some other node has been silent for too long."""
    query = f"SELECT 1 FROM heartbeats WHERE node <> ? AND seen < {NOW} - ? LIMIT 1"  # noqa: S608
    return bool(execute(query, (node.id, LIFE_SECONDS)))


def bury(execute: Execute, node: Node, *, judge: bool = True) -> tuple[str, ...] | None:
    """Bury every other node that was silent for too long, in a transaction that is ours alone; None where we are dead ourselves.

    Who may not `judge` yet buries nobody, and only takes over what is nobody's.

    What they owned is to be taken over in the same transaction, whose later statements see everything that they committed.
    """
    execute(IMPATIENT, ())
    execute(ALONE, ())
    if not execute(FENCE, (node.id, node.incarnation)):
        return None
    if not judge:
        return ()
    found = execute(
        f"SELECT n.id FROM nodes n JOIN heartbeats h ON h.node = n.id"  # noqa: S608
        f" WHERE n.alive AND n.id <> ? AND h.seen < {NOW} - ? ORDER BY n.id",
        (node.id, LIFE_SECONDS),
    )
    for (name,) in found:
        execute(END_SESSIONS, (name,))
        execute("SELECT 1 FROM nodes WHERE id = ? FOR UPDATE", (name,))  # waits for what is ending
        _end(execute, name)
    return tuple(name for (name,) in found)


def leave(execute: Execute, node: Node) -> tuple[str, ...] | None:
    """Go in good order; return the nodes that live on, who may be given what this one owned in the same transaction.

    None where we are dead: what we owned is another's by now, be it the next incarnation of our own name.
    """
    execute(ALONE, ())
    if not execute("SELECT 1 FROM nodes WHERE id = ? AND incarnation = ? AND alive FOR UPDATE", (node.id, node.incarnation)):
        return None
    _end(execute, node.id)
    return tuple(name for (name,) in execute("SELECT id FROM nodes WHERE alive ORDER BY id", ()))


def _end(execute: Execute, name: str) -> None:
    execute("UPDATE nodes SET alive = false WHERE id = ?", (name,))
    execute("DELETE FROM heartbeats WHERE node = ?", (name,))


def addresses(execute: Execute) -> frozenset[str]:
    """Return where the nodes that live are reached."""
    return frozenset(str(address) for (address,) in execute("SELECT address FROM nodes WHERE alive", ()))


def address_of(execute: Execute, name: str) -> str:
    """Return where a node that lives is reached; empty where it is not."""
    found = execute("SELECT address FROM nodes WHERE id = ? AND alive", (name,))
    return str(found[0][0]) if found else ""


class NodeRole(StrEnum):
    """What one node at a time sees to for all."""

    STEWARD = "steward"
    """Competitions and challenges."""
    LOG = "log"
    """Gives entries their places in the transparency log, and signs it."""
    LEAGUE = "league"
    """The draughts registrar's ledger, and the house's robots."""
    DOOR = "door"
    """Where passwords are tried: attempts are counted once, at whichever node somebody comes."""
    SHOWCASE = "showcase"
    """Games that players of the house play for whoever wants something to watch."""
    ROOMS = "rooms"
    """The lobby and the tables of the arcade, and the rooms of elections: who comes shall meet everybody who is there."""


def roles_of(execute: Execute, name: str) -> frozenset[NodeRole]:
    """Return the roles that a node holds."""
    return frozenset(NodeRole(role) for (role,) in execute("SELECT role FROM roles WHERE node = ?", (name,)))


def unheld(execute: Execute) -> tuple[NodeRole, ...]:
    """Return the roles that no living node holds."""
    held = {role for (role,) in execute("SELECT r.role FROM roles r JOIN nodes n ON n.id = r.node WHERE n.alive", ())}
    return tuple(role for role in NodeRole if role.value not in held)


def give_roles(execute: Execute, roles: Iterable[NodeRole], name: str) -> None:
    """Give roles to a node, in a transaction that is ours alone (`bury`, `leave`)."""
    for role in roles:
        execute(
            "INSERT INTO roles (role, node) VALUES (?, ?) ON CONFLICT (role) DO UPDATE SET node = EXCLUDED.node",
            (role.value, name),
        )


def holder(execute: Execute, role: NodeRole) -> tuple[str, str]:
    """Return which living node holds a role, and where it is reached; both are empty where none does."""
    query = "SELECT n.id, n.address FROM roles r JOIN nodes n ON n.id = r.node WHERE r.role = ? AND n.alive"
    return next(((str(name), str(address)) for name, address in execute(query, (role.value,))), ("", ""))


def standings(execute: Execute) -> tuple[Standing, ...]:
    """Return every node that ever was, those that live first."""
    roles: dict[str, list[str]] = {}
    for role, name in execute("SELECT role, node FROM roles ORDER BY role", ()):
        roles.setdefault(name, []).append(role)
    found = execute(
        f"SELECT n.id, n.incarnation, n.alive, n.address, {NOW} - h.seen, COALESCE(h.dismissed, false) FROM nodes n"  # noqa: S608
        " LEFT JOIN heartbeats h ON h.node = n.id ORDER BY n.alive DESC, n.id",
        (),
    )
    return tuple(
        Standing(name, number, alive, address, since, dismissed, tuple(roles.get(name, ())) if alive else ())
        for name, number, alive, address, since, dismissed in found
    )


def now(execute: Execute) -> float:
    """Return what the clock of the database says, which is the same for all nodes."""
    return float(execute(f"SELECT {NOW}", ())[0][0])


def living(execute: Callable[[str], list[Any]]) -> bool:
    """Tell whether some node lives."""
    return bool(execute("SELECT 1 FROM nodes WHERE alive LIMIT 1"))
