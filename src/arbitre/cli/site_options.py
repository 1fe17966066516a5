"""What the commands of `arbitre site` share: the address of the site, the token, an open client, plain lines."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click

from arbitre.cli.language import language
from arbitre.cli.speech import spoken
from arbitre.client import Client
from arbitre.errors import SiteError
from arbitre.reasons import N_, Reason
from arbitre.records.event import plain

LOCAL = "http://127.0.0.1:8000"


def site_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the address of the site and the token, and an open client."""
    return _options(function, TOKEN)


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the same, where the token is an engine's own."""
    return _options(function, ENGINE_TOKEN)


def _options(function: Callable[..., Any], hint: str) -> Callable[..., Any]:
    @click.option(
        "--site", metavar="URL", envvar="ARBITRE_SITE", default=LOCAL, show_default=True, help="The site; or $ARBITRE_SITE."
    )
    @click.option(
        "--token-file", type=click.Path(dir_okay=False, path_type=Path), help="A file with the token; or $ARBITRE_TOKEN."
    )
    @wraps(function)
    def command(site: str, token_file: Path | None, **given: Any) -> Any:
        with _opened(site, token_file, "" if given.get("as_json") else language(), hint) as client:
            return function(client, **given)

    return command


@contextmanager
def _opened(site: str, token_file: Path | None, spoken_to: str, hint: str) -> Iterator[Client]:
    token = os.environ.get("ARBITRE_TOKEN", "")
    if token_file is not None:
        try:
            token = token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SiteError("the token in %(token_file)s cannot be read: %(error)s", token_file=token_file, error=error) from None
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise SiteError("a token is one word of plain characters, as the account page shows it")
    with Client(site, token, spoken_to) as client:
        try:
            yield client
        except SiteError as error:
            if error.status == 401:
                error.hint = Reason(hint)
            raise


TOKEN = N_("make a token on the account page of the site, and put it into $ARBITRE_TOKEN or --token-file")
ENGINE_TOKEN = N_("`arbitre site token NUMBER` makes the token of an engine: put it into $ARBITRE_TOKEN or --token-file")

WORDS = {
    one: one
    for one in (
        N_("waiting"), N_("playing"), N_("decided"), N_("over"), N_("announced"), N_("open"), N_("running"), N_("cancelled"),
        N_("retired"),
        N_("ok"), N_("broken"), N_("player"), N_("organiser"), N_("teacher"), N_("operator"),
    )
}  # fmt: skip


def word(text: str) -> str:
    """Return a word that a site uses for a state, a stage or a role, in the user's language; an unknown one as it is."""
    return spoken(WORDS[text]) if text in WORDS else plain(text)


def show(found: object, as_json: bool, line: str) -> None:
    """Print something as JSON for programs, or a line for people."""
    click.echo(json.dumps(found, ensure_ascii=False) if as_json else line.rstrip())
