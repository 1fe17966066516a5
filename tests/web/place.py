"""A site with people who are logged in and engines at one address: what tests of competitions and classes stand on."""

from dataclasses import dataclass

from arbitre.site.accounts import Account
from arbitre.site.community import Community
from arbitre.site.engines import Engine
from arbitre.tournoyons.wire import Style
from arbitre.web.visit import SESSION_COOKIE
from tests.web.site import Client, Running


@dataclass
class Place:
    """A site, its people, and engines of every kind at one address."""

    site: Running
    people: dict[str, Account]
    url: str

    def visitor(self, name: str = "") -> Client:
        """Return a browser in which somebody is logged in already: to log in often is limited."""
        client = self.site.client()
        if name:
            client.cookies[SESSION_COOKIE] = self.community.sessions.start(self.people[name], "test").token
        return client

    @property
    def community(self) -> Community:
        found: Community = self.site.site.state.house.community
        return found

    def engine(self, owner: str, name: str, path: str, game: str = "tictactoe") -> Engine:
        return self.community.engines.add(
            self.people[owner], game=game, name=name, url=f"{self.url}/{path}", style=Style(direct=True)
        )
