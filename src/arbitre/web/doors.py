"""Every door of the site: a new part of it is a module in `pages`, or in `api` for programs, and its handlers are found there."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.types import ControllerRouterHandler

from arbitre.web import api


def handlers(package: ModuleType) -> list[ControllerRouterHandler]:
    """Return the handlers that the modules of a package declare; a module that puts its own together does so in `ROUTES`."""
    modules = [import_module(f"{package.__name__}.{one.name}") for one in iter_modules(package.__path__)]
    return [one for module in modules for one in getattr(module, "ROUTES", None) or declared(module)]


def declared(module: ModuleType) -> list[BaseRouteHandler]:
    """Return the handlers of a module, in the order in which they are written."""
    return [one for one in vars(module).values() if isinstance(one, BaseRouteHandler)]


DOORS = [one for one in handlers(api) if isinstance(one, HTTPRouteHandler)]
"""Those for programs."""
