"""A site with people of every role and a token for each: what tests of the site for programs stand on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arbitre.client import Client
from arbitre.errors import SiteError
from arbitre.reasons import CODE
from arbitre.site.accounts import Account, Role
from arbitre.site.tokens import Scope, scopes_of
from arbitre.web.house import WebApp
from tests.web.site import Running, quiet, running

PEOPLE = {"anna": Role.PLAYER, "ben": Role.PLAYER, "olga": Role.TEACHER, "tess": Role.TEACHER, "rex": Role.OPERATOR}


@dataclass
class Doors:
    """A site, its people, and connections of their programs."""

    site: Running
    people: dict[str, Account]
    tokens: dict[str, str]

    @property
    def house(self) -> WebApp:
        found = self.site.site.state.house
        assert isinstance(found, WebApp)
        return found

    def client(self, name: str = "", language: str = "") -> Client:
        """Return a new connection of somebody's program, of nobody's where no name is given."""
        return Client(self.site.url, self.tokens[name] if name else "", language)

    def token(self, name: str, *scopes: Scope) -> str:
        """Return a new token; those of tests that are over make room for it, and what programs that try everything have made."""
        tokens, account = self.house.community.tokens, self.people[name]
        others = sorted((one.id for one in tokens.of(account) if one.name != "all"), reverse=True)
        for old in others[5:]:
            tokens.revoke(account, old)
        return tokens.make(self.people[name], "one more", scopes or scopes_of(self.people[name])).secret


@contextmanager
def doors(folder: Path, **settings: object) -> Iterator[Doors]:
    """Open a site whose people have tokens for everything."""
    with running(quiet(folder, **{"pace": 1_000_000} | settings)) as site:
        community = site.site.state.house.community
        people = {name: community.accounts.create(name, f"the password of {name}", role) for name, role in PEOPLE.items()}
        tokens = {name: community.tokens.make(one, "all", scopes_of(one)).secret for name, one in people.items()}
        yield Doors(site, people, tokens)


def refused(status: int, client: Client, method: str, path: str, body: Any = None) -> str:
    """Ask for what is refused with this status, and return why."""
    with pytest.raises(SiteError) as found:
        client.ask(method, path, body)
    assert found.value.status == status, str(found.value)
    return str(found.value)


def told(problem: dict[str, Any]) -> bool:
    """Tell whether a refusal says what is wrong, and nothing else beside the code and the fields that belong to it."""
    words, *coded = problem
    fine = not coded or (coded == ["code", "fields"] and CODE.fullmatch(problem["code"]) and "code" not in problem["fields"])
    return words == "error" and bool(problem["error"] and fine)
