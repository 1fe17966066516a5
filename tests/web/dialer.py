"""A program that dials in, by hand: a line of questions that the test reads and cuts, and answers that it sends."""

import http.client
import json
from collections.abc import Iterator
from contextlib import suppress
from socket import SHUT_RDWR
from types import TracebackType
from typing import Any, Self

from arbitre.site.accounts import Account
from arbitre.site.engines import Engine
from arbitre.site.site import Site
from tests.web.site import Answer, Client, Running

Question = dict[str, Any]


class Line:
    """One line of questions."""

    def __init__(self, port: int, engine: str, token: str, query: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._connection.request("GET", f"/api/engines/{engine}/questions?{query}", headers={"Authorization": f"Bearer {token}"})
        self.socket = self._connection.sock
        self.response = self._connection.getresponse()
        self.status = self.response.status
        self.headers = {name.lower(): text for name, text in self.response.getheaders()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.cut()

    def cut(self) -> None:
        with suppress(OSError):
            self.socket.shutdown(SHUT_RDWR)  # whoever reads beside us reads its end
        self.response.close()
        self._connection.close()

    def rows(self) -> Iterator[bytes]:
        """Return every line as it comes, beats too, until there are no more."""
        while row := self.response.readline():
            yield row

    def questions(self) -> Iterator[Question]:
        return (json.loads(row) for row in self.rows() if row.strip())

    def next(self) -> Question:
        return next(self.questions())


class Dialler:
    """An engine that dials in, with its token."""

    def __init__(self, site: Running, owner: Account, game: str = "tictactoe", name: str = "Dialler") -> None:
        self.site = site
        self.owner = owner
        self.engine: Engine = house_of(site).community.engines.add(owner, game=game, name=name, url="dial:")
        self.token = house_of(site).community.engines.mint(owner, self.engine.id)
        self.client: Client = site.client()

    def line(self, query: str = "", *, token: str = "") -> Line:
        return Line(self.site.port, self.engine.neutral, token or self.token, query)

    def status(self, query: str = "", *, token: str = "") -> int:
        """Return how a line is answered, and cut it."""
        with self.line(query, token=token) as line:
            return line.status

    def send(self, number: str, said: str, **headers: str) -> Answer:
        """Answer a question, with a token of its own or this engine's."""
        sent = {"Authorization": f"Bearer {self.token}", "Content_Type": "application/json"} | headers
        body = json.dumps({"id": number, "said": said}).encode()
        return self.client.ask("POST", f"/api/engines/{self.engine.id}/answers", body, **sent)

    def answer(self, question: Question) -> Answer:
        return self.send(question["id"], reply(question))


def house_of(site: Running) -> Site:
    found: Site = site.site.state.house
    return found


def reply(question: Question) -> str:
    """Return a good answer: the first legal move."""
    if question["what"] == "hello":
        return "hello 2 By-Hand"
    return f"move {question['text'].splitlines()[-1].split()[4]}"


def play(dialler: Dialler, line: Line) -> list[Question]:
    """Answer everything on one line until a match is over; return what was asked and told."""
    heard: list[Question] = []
    for question in line.questions():
        heard.append(question)
        if question["what"] == "end":
            return heard
        found = dialler.answer(question)
        assert found.status == 200, found.text
    raise AssertionError("the line ended before the match")
