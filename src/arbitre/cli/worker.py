"""`arbitre worker`: plays chunks of tournaments that others spread over a PostgreSQL, and judges the games of a site."""

import asyncio
import gc
import logging
import signal
from functools import partial
from typing import TYPE_CHECKING

import click

from arbitre.cli import codes
from arbitre.cli.options import callback_option, data_option
from arbitre.cli.serve import on_signals
from arbitre.cli.speech import tell
from arbitre.cli.tournament import contestants_of
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.analyses import Analyses
from arbitre.site.database import Database
from arbitre.site.judging import Judge

if TYPE_CHECKING:
    from arbitre.spread import Worker


class OneLine(logging.Formatter):
    """Says what went wrong in one line: how a database that was away came to be missed is of no use to an operator."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message, and the last word of what caused it."""
        error = record.exc_info[1] if record.exc_info else None
        cause = (error.__cause__ or error) if error is not None else ""
        return " ".join(f"{record.getMessage()} {cause}".split())


@click.command()
@click.option(
    "--patience",
    type=click.FloatRange(1, 3_600),
    default=10.0,
    show_default=True,
    help="Seconds after which a worker that says nothing is taken for dead, and another does what it was at.",
)
@click.option("--sandbox", is_flag=True, help="Run bots under bubblewrap: no network, a read-only system, no data folder.")
@callback_option
@data_option
def worker(patience: float, sandbox: bool, callback: str, data: Place) -> None:
    """Play games of tournaments that are run with --spread and analyse games of a site, on as many machines as you like.

    The data folder holds the key of the referee who spreads them. Stop it with Ctrl-C: what it plays is finished first. Killed,
    it leaves nothing behind, and others play its games.
    """
    from arbitre.spread import Worker  # noqa: PLC0415 - where it is installed

    lines = logging.StreamHandler()
    lines.setFormatter(OneLine())
    logging.basicConfig(handlers=[lines], level=logging.WARNING)
    codes.load()
    store = Store(data)
    try:
        gc.freeze()  # what is loaded stays: a collector that walks through it again and again makes players late
        tell("working for %(place)s, as referee %(key)s; stop it with Ctrl-C", place=data, key=store.key().fingerprint)
        asyncio.run(_work(Worker(store, lambda plan, kept: contestants_of(plan, kept, sandbox, callback), patience), patience))
    finally:
        store.close()


async def _work(worker: "Worker", patience: float) -> None:
    """Play and judge side by side: what is judged gets only what is left of the machine."""
    store, database = worker.store, Database(worker.store.place)
    octets = partial(_octets, store)
    judge = Judge(Analyses(database), octets, store.key, shared=True, worker=True, lease=patience)
    judging = asyncio.create_task(judge.run())
    try:
        await worker.run(_stopped())
    finally:
        judging.cancel()
        await asyncio.gather(judging, return_exceptions=True)
        database.close()


def _octets(store: Store, match: str) -> bytes:
    return store.record(match).text().encode()


def _stopped() -> asyncio.Event:
    """Return what a first signal sets; a second one does as it always does."""
    stopped, names = asyncio.Event(), (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        stopped.set()
        for one in names:
            asyncio.get_running_loop().remove_signal_handler(one)

    on_signals(stop, *names)
    return stopped
