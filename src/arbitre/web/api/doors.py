"""Every door for programs: a new part of their site is a module here with its handlers in a tuple `ROUTES`, listed below."""

from litestar.handlers import HTTPRouteHandler

from arbitre.web.api import competitions, matches, rankings, things

DOORS: tuple[tuple[HTTPRouteHandler, ...], ...] = (
    matches.ROUTES,
    things.ROUTES,
    competitions.ROUTES,
    rankings.ROUTES,
)
"""The parts of the site for programs."""
