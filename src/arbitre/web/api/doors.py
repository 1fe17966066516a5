"""Every door for programs: a new part of their site is a module here with its handlers in a tuple `ROUTES`, listed below."""

from litestar.handlers import HTTPRouteHandler

from arbitre.web.api import (
    added,
    arcade,
    classes,
    competitions,
    elections,
    engines,
    entries,
    interfaces,
    kriegspiel,
    league,
    matches,
    operating,
    rankings,
    standings,
    steering,
    things,
)

DOORS: tuple[tuple[HTTPRouteHandler, ...], ...] = (
    things.ROUTES,
    matches.ROUTES,
    steering.ROUTES,
    engines.ROUTES,
    interfaces.ROUTES,
    added.ROUTES,
    competitions.ROUTES,
    entries.ROUTES,
    standings.ROUTES,
    rankings.ROUTES,
    classes.ROUTES,
    league.ROUTES,
    elections.ROUTES,
    arcade.ROUTES,
    kriegspiel.ROUTES,
    operating.ROUTES,
)
"""The parts of the site for programs."""
