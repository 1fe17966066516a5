"""`arbitre operator`: accounts and backups of a data folder, from the machine it lies on; the site may run meanwhile."""

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arbitre.cli.options import data_option, json_option
from arbitre.cli.speech import MisuseError, phrase, tell
from arbitre.crypto.keys import fingerprint
from arbitre.errors import UnfitError, UnknownError
from arbitre.reasons import N_
from arbitre.records import nodes
from arbitre.records.backend import Short, open_aside, prepare
from arbitre.records.log.successors import succeed_key
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.accounts import Account, Role
from arbitre.site.arena.matches import ArenaMatches
from arbitre.site.backup import restore_backup, write_backup
from arbitre.site.community import Community
from arbitre.site.kriegspiel import renew_seal
from arbitre.site.moving import move, size_of

LONGEST_FILE = 4_096
ROLES = [role.value for role in Role]  # texts: click shows members of an enumeration by their names

NOW = {
    Role.PLAYER: N_("%(name)s is a player now"),
    Role.ORGANISER: N_("%(name)s is an organiser now"),
    Role.TEACHER: N_("%(name)s is a teacher now"),
    Role.OPERATOR: N_("%(name)s is an operator now"),
}

password_option = click.option(
    "--password-file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="Read the password from the first line of this file, - for standard input [default: ask].",
)


@click.group()
def operator() -> None:
    """Accounts, roles, backups: what the operator of a site does by hand.

    Everything works while the site runs, and the site sees it at once.
    """


@operator.command()
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default=Role.OPERATOR.value, show_default=True, help="What the account may do.")
@password_option
@data_option
def add(name: str, role: str, password_file: Path | None, data: Place) -> None:
    """Make the account NAME: the first operator of a new site, or anybody else."""
    with Community(data) as house:
        account = house.accounts.create(name, _password(password_file), Role(role))
    tell(NOW[account.role], name=account.name)


@operator.command(name="list")
@click.option("--role", type=click.Choice(ROLES), help="Only accounts of this role.")
@click.option("--search", metavar="TEXT", default="", help="Only names that hold this.")
@data_option
@json_option
def list_(role: str | None, search: str, data: Place, as_json: bool) -> None:
    """List the accounts, the oldest first."""
    with _open(data) as house:
        for account in _everybody(house, None if role is None else Role(role), search):
            if as_json:
                fields = {"id": account.id, "name": account.name, "role": account.role, "created": account.created}
                engines = len(house.engines.of(account))
                click.echo(json.dumps({**fields, "banned": account.banned, "engines": engines}, ensure_ascii=False))
            else:
                locked = phrase("  locked: %(why)s", why=account.banned) if account.banned else ""
                click.echo(f"{account.name:<30}  {account.role:<9}{locked}".rstrip())


def _everybody(house: Community, role: Role | None, search: str) -> Iterator[Account]:
    after = 0
    while page := house.accounts.all(role=role, search=search, after=after):
        yield from page
        after = page[-1].id


@operator.command()
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@data_option
def role(name: str, role: str, data: Place) -> None:
    """Give NAME a role: player, organiser (of competitions), teacher (has classes), operator (may everything)."""
    with _open(data) as house:
        account = house.accounts.set_role(house.accounts.called(name), Role(role))
    tell(NOW[account.role], name=account.name)


@operator.command()
@click.argument("name")
@click.option(
    "--reason",
    default=lambda: phrase("by the operator"),
    show_default="by the operator",
    help="What NAME reads when he tries to log in.",
)
@data_option
def ban(name: str, reason: str, data: Place) -> None:
    """Lock the account NAME: its sessions and tokens end, its games and engines stay."""
    with _open(data) as house:
        account = house.accounts.ban(house.accounts.called(name), reason)
    tell("%(name)s is locked: %(why)s", name=account.name, why=account.banned)


@operator.command()
@click.argument("name")
@data_option
def unban(name: str, data: Place) -> None:
    """Unlock the account NAME."""
    with _open(data) as house:
        account = house.accounts.unban(house.accounts.called(name))
    tell("%(name)s may log in again", name=account.name)


@operator.command()
@click.argument("name")
@click.argument("engines", metavar="ENGINES|usual")
@data_option
def quota(name: str, engines: str, data: Place) -> None:
    """Say how many engines NAME may register: a number, or `usual`."""
    if engines != "usual" and not (engines.isascii() and engines.isdigit() and len(engines) < 10):
        raise MisuseError("a number of engines or 'usual', not %(engines)r", engines=engines)
    with _open(data) as house:
        account = house.accounts.set_quota(house.accounts.called(name), None if engines == "usual" else int(engines))
        most = house.settings.engines if account.quota is None else account.quota
    tell("%(name)s may have %(most)s engines", name=account.name, most=most)


@operator.command()
@click.argument("name")
@click.option("--set", "at_once", is_flag=True, help="Set a new password here and now, instead of making a link.")
@click.option("--url", "site", metavar="URL", default="", help="The public address of the site, to print a whole link.")
@password_option
@data_option
def reset(name: str, at_once: bool, site: str, password_file: Path | None, data: Place) -> None:
    """Let NAME choose a new password by a one-time link, which you pass on; no mail is sent.

    The old password works until the link is used. The link ends after three days.
    """
    with _open(data) as house:
        account = house.accounts.called(name)
        if at_once or password_file is not None:
            house.accounts.set_password(account, _password(password_file))
            tell("%(name)s has a new password; every session has ended", name=account.name)
            return
        token = house.accounts.start_reset(account)
    click.echo(f"{site.rstrip('/')}/reset/{token}")


@operator.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_option
def erase(name: str, yes: bool, data: Place) -> None:
    """Erase the data of NAME: account, engines, photos, classes. Games stay, under a neutral name. There is no way back."""
    with _open(data) as house:
        account = house.accounts.called(name)
        if not yes:
            click.confirm(phrase("erase everything of %(name)s for good?", name=account.name), abort=True, err=True)
        house.erasure.erase(account)
    tell(
        "%(name)s is erased; records say %(neutral)s. Backups made before still hold the data.",
        name=account.name,
        neutral=account.neutral,
    )


@operator.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@data_option
def backup(file: Path, data: Place) -> None:
    """Write everything of the data folder, keys included, into one new FILE; the site may run. Keep it secret."""
    size = write_backup(data, file)
    tell("%(file)s: %(size)s octets", file=file, size=f"{size:,}")


@operator.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@data_option
def restore(file: Path, data: Place) -> None:
    """Make a data folder of the backup FILE; the folder must be empty or not there yet."""
    restore_backup(file, data)
    tell("%(data)s is what it was when %(file)s was written: arbitre serve --data %(data)s", data=data.folder, file=file)


@operator.command(name="move")
@click.option("--from", "source", required=True, metavar="sqlite:FOLDER", help="The data folder with the file.")
@click.option("--to", "target", required=True, metavar="postgresql://…", help="An empty database.")
def move_(source: str, target: str) -> None:
    """Move a site from the file in its data folder to a PostgreSQL, all of it or nothing; stop the site first.

    Every row is counted and every record verified before it counts. Keys stay in the folder, and the old file too.
    """
    kind, _, folder = source.partition(":")
    if kind != "sqlite" or not folder:
        raise MisuseError("a site is moved from sqlite:FOLDER, not from %(source)r", source=source)
    old, new = Place(Path(folder)), Place(Path(folder), target)
    if not old.made:
        raise UnknownError("there is no site in %(data)s", data=old)
    store = Store(old)
    try:
        with _bar(size_of(store)) as told:
            moved = move(store, new, told)
    finally:
        store.close()
    tell("%(rows)s rows are in %(place)s, %(records)s records verified", rows=moved.rows, place=new, records=moved.records)
    served = shlex.join(["arbitre", "serve", *new.options()])
    tell("go on with: %(served)s; the old file %(file)s may go when you are content", served=served, file=old.file)


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar where a person is watching."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=total, label=phrase("moving"), file=sys.stderr) as bar:
        yield bar.update


@operator.command(name="kriegspiel-key")
@data_option
def kriegspiel_key(data: Place) -> None:
    """Make a new key for files of Kriegspiel: the site seals with it from its next start, and still opens what others sealed."""
    with _open(data):
        number = renew_seal(data.folder)
    click.echo(
        f"key {number} seals when the site is started again; files that earlier keys sealed are opened as long as they lie here"
    )


@operator.command(name="referee-key")
@data_option
def referee_key(data: Place) -> None:
    """Make a new key for the referee, which the old one signs as its successor: the site seals with it from its next start.

    The site enters the statement into its log before it opens another match. What was opened before is sealed with the old key.
    """
    with _open(data):
        made = succeed_key(data.folder)
    tell(
        "key %(new)s comes after key %(old)s when the site is started again; until what was opened before is sealed, leave the "
        "old one where it is",
        new=fingerprint(made.new),
        old=fingerprint(made.old),
    )


@operator.command(name="nodes")
@data_option
@json_option
def nodes_(data: Place, as_json: bool) -> None:
    """List the processes that share the database: who lives, since when it was not heard, what it sees to."""
    with _short(data) as short:
        shares = short.transact(ArenaMatches.shares)
        for one in short.transact(nodes.standings):
            count = shares.get(one.id, 0)
            if as_json:
                silent = None if one.silent is None else round(one.silent, 3)
                fields = {"name": one.id, "incarnation": one.incarnation, "alive": one.alive, "address": one.address}
                more = {"silent_seconds": silent, "leaving": one.dismissed, "roles": list(one.roles), "matches": count}
                click.echo(json.dumps(fields | more, ensure_ascii=False))
            elif one.alive:
                tell(
                    "%(name)s at %(address)s, heard %(seconds)s s ago: %(count)s matches, %(roles)s",
                    name=one.id,
                    address=one.address,
                    seconds=f"{one.silent or 0:.1f}",
                    count=count,
                    roles=", ".join(one.roles) or "–",
                )
            else:
                tell("%(name)s has gone", name=one.id)


@operator.command()
@click.argument("node")
@data_option
def drain(node: str, data: Place) -> None:
    """Ask NODE to hand its matches over to the others and to stop, as SIGTERM does."""
    with _short(data) as short:
        short.transact(lambda execute: nodes.dismiss(execute, node))
    tell("%(name)s leaves", name=node)


@contextmanager
def _short(data: Place) -> Iterator[Short]:
    """Open a database that several nodes share."""
    if not data.database:
        raise UnknownError("this site is not kept in a database that several nodes share")
    prepare(data)
    short = open_aside(data)
    try:
        yield short
    finally:
        short.close()


@contextmanager
def _open(data: Place) -> Iterator[Community]:
    """Open a data folder that is there: to mistype a folder must not make one."""
    if not data.made:
        raise UnknownError(
            "there is no site in %(data)s: arbitre operator add NAME makes one, --data DIR names another folder", data=data
        )
    with Community(data) as house:
        yield house


def _password(file: Path | None) -> str:
    if file is None:
        said: str = click.prompt(phrase("password"), hide_input=True, confirmation_prompt=True, err=True)
        return said
    try:
        if str(file) == "-":
            text = sys.stdin.readline(LONGEST_FILE)
        else:
            with file.open(encoding="utf-8") as lines:
                text = lines.readline(LONGEST_FILE)
    except UnicodeDecodeError:
        raise UnfitError("password", "%(file)s is not UTF-8", file=file) from None
    return text.removesuffix("\n").removesuffix("\r")
