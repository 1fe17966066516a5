"""Every door for programs: a new part of their site is a module here with its handlers in a tuple `ROUTES`, listed below."""

from litestar.handlers import HTTPRouteHandler

from arbitre.web.api import added, arcade, competitions, elections, engines, matches, rankings, steering, things

DOORS: tuple[tuple[HTTPRouteHandler, ...], ...] = (
    matches.ROUTES,
    steering.ROUTES,
    engines.ROUTES,
    added.ROUTES,
    elections.ROUTES,
    arcade.ROUTES,
    things.ROUTES,
    competitions.ROUTES,
    rankings.ROUTES,
)
"""The parts of the site for programs."""
