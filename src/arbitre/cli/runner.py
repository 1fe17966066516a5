"""`arbitre runner`: lends this machine to the bots whose sources are kept on a site (the manual's "Kept sources and runners")."""

from pathlib import Path

import click

from arbitre.cli.bot import Screen
from arbitre.cli.language import language
from arbitre.cli.speech import tell
from arbitre.client import Client
from arbitre.errors import SiteError
from arbitre.reasons import N_, Reason
from arbitre.transport.bounds import MEMORY, TASKS, Bounds, how
from arbitre.transport.sandbox import works

TOKEN = N_(
    "a teacher makes a token on the account page: let it play on a runner what others lend, and name its file with --token"
)
HOWS = {
    "scope": N_("each bot and what it starts are bounded by the service manager: %(memory)s MiB and %(tasks)s tasks"),
    "cgroup": N_("each bot and what it starts are bounded by the kernel: %(memory)s MiB and %(tasks)s tasks"),
    "watch": N_("each bot and what it starts are bounded by a watcher: %(memory)s MiB and %(tasks)s tasks"),
}


@click.command()
@click.option("--site", "url", required=True, metavar="URL", help="The site.")
@click.option(
    "--token",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with a teacher's token, with the scope run.",
)
@click.option("--class", "klass", type=click.IntRange(1), metavar="CLASS", help="Play what is lent in this class; else to all.")
@click.option("--games", type=click.IntRange(1, 1_000_000), help="Leave after so many games.")
@click.option("--bots", type=click.IntRange(1, 1_000), default=16, show_default=True, help="So many bots run at a time.")
@click.option(
    "--memory", type=click.IntRange(32, 65_536), default=MEMORY >> 20, show_default=True, help="MiB of a bot with all it starts."
)
def runner(url: str, token: Path, klass: int | None, games: int | None, bots: int, memory: int) -> None:
    """Play the bots whose sources are kept on a site and lent to you, each in bubblewrap without network.

    Without bubblewrap nothing is played. Several runners share the work. Stop it with Ctrl-C: its matches go on with another.
    """
    works()
    from arbitre.client.runner import Runner  # noqa: PLC0415 - where there is a sandbox

    try:
        secret = token.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError("the token in %(token_file)s cannot be read: %(error)s", token_file=token, error=error) from None
    show = Screen()
    with show, Client(url, secret, language()) as client:
        bounds = Bounds(memory << 20, TASKS)
        mine = Runner(client, show.tell, klass, bots, bounds)
        tell(HOWS[how()], memory=memory, tasks=TASKS)
        tell("playing on %(site)s; stop it with Ctrl-C", site=client.url)
        try:
            mine.play(games)
        except SiteError as error:
            if error.status in (401, 403):
                error.hint = Reason(TOKEN)
            raise
    tell("games that were played to their end: %(count)s", count=mine.finished)
