"""`arbitre mcp`: a site as tools for an agent that speaks MCP on standard input and output."""

import asyncio

import click

from arbitre.cli.site_options import site_options
from arbitre.client import Client
from arbitre.errors import SiteError


@click.command()
@site_options
def mcp(site: Client) -> None:
    """Serve one agent on standard input and output: it plays at a site, under the token's account.

    An agent's program starts this command itself; it wants the extra `agents`.
    """
    try:
        from arbitre.agents.server import serve_pipe  # noqa: PLC0415 - in an extra
    except ImportError as error:
        raise SiteError("arbitre mcp needs the extra agents: pip install 'arbitre[agents]'") from error
    asyncio.run(serve_pipe(site))
