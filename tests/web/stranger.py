"""A program that knows nothing of the site or its games: it reads `/api/games`, and plays whatever is there to the end.

It chooses among the moves that are listed. Where they are too many, it makes one of the pattern that the game's page gives, and
makes another while the question stays open.
"""

import http.client
import json
import re
from random import Random
from typing import Any
from urllib.parse import urlencode

COUNT = re.compile(r"\{(\d+)(?:,(\d+))?\}")


def made(pattern: str, random: Random) -> str:
    """Return some text that matches a pattern of characters, classes, groups, alternatives and counts."""
    text, rest = _either(pattern.removeprefix("^").removesuffix("$"), random)
    assert not rest, rest
    return text


def _either(rest: str, random: Random) -> tuple[str, str]:
    """Read alternatives up to the end of a group; return one that was made, and what is left."""
    found = []
    while True:
        text, rest = _row(rest, random)
        found.append(text)
        if not rest.startswith("|"):
            return random.choice(found), rest
        rest = rest[1:]


def _row(rest: str, random: Random) -> tuple[str, str]:
    text = ""
    while rest and rest[0] not in "|)":
        length = _length(rest)
        atom, rest = rest[:length], rest[length:]
        least, most = 1, 1
        if rest.startswith("?"):
            least, rest = 0, rest[1:]
        elif count := COUNT.match(rest):
            least, most, rest = int(count[1]), int(count[2] or count[1]), rest[count.end() :]
        text += "".join(_one(atom, random) for _ in range(random.randint(least, min(most, least + 3))))
    return text, rest


def _length(rest: str) -> int:
    """Return how long the first atom is: a group, a class, an escaped character, a character."""
    if rest[0] == "[":
        return rest.index("]") + 1
    if rest[0] == "(":
        depth, at = 0, 0
        while True:
            depth += {"(": 1, ")": -1}.get(rest[at], 0)
            at += 1
            if not depth:
                return at
    return 2 if rest[0] == "\\" else 1


def _one(atom: str, random: Random) -> str:
    if atom[0] == "(":
        return _either(atom.removeprefix("(?:")[:-1], random)[0]
    if atom[0] == "[":
        spans = re.findall(r"(.)-(.)|(.)", atom[1:-1])
        return random.choice(
            [chr(one) for low, high, single in spans for one in range(ord(low or single), ord(high or single) + 1)]
        )
    return atom[-1]


class Stranger:
    """Plays at a site, with a token and nothing else."""

    def __init__(self, port: int, token: str) -> None:
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.token = token
        self.random = Random(5)
        self.seen = 0

    def ask(self, method: str, path: str, body: object = None, *, refusable: bool = False) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self.line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.line.getresponse()
        found = json.loads(answer.read() or b"null")
        assert answer.status < 300 or found.get("again") or (refusable and answer.status == 400), (path, answer.status, found)
        return found

    def varied(self, game: str) -> dict[str, Any]:
        """Return options of a game, each other than usual where it may be, that two can play with."""
        while True:
            options = [one for one in self.ask("GET", f"/api/games/{game}")["options"] if one["site"] is None]
            chosen = {one["name"]: self._other(one["schema"]) for one in options}
            if self.book(game, chosen).get("seats") == 2:
                return chosen

    def _other(self, schema: dict[str, Any]) -> Any:
        usual = schema["default"]
        if schema["type"] == "boolean":
            return not usual
        if schema["type"] == "integer":
            least, most = schema.get("minimum", usual - 2), schema.get("maximum", usual + 2)
            return self.random.randint(max(least, usual - 2), min(most, usual + 2))
        return self.random.choice(schema.get("enum", [usual]))

    def book(self, game: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return what the site tells of a game with these options."""
        found = self.ask(
            "GET", f"/api/games/{game}?{urlencode({'options': json.dumps(options)}) if options else ''}", refusable=True
        )
        assert isinstance(found, dict)
        return found

    def play(self, game: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """Play one match of a game against the weakest player of the house; return the match when it is over."""
        spelling = self.book(game, options)["spelling"]["move"]
        patterns = [one.get("pattern", "") for one in spelling.get("anyOf", [spelling])]
        seats = [{"who": "me"}, {"who": "house", "level": 1}]
        name = self.ask("POST", "/api/matches", {"game": game, "seats": seats, "options": options or {}})["name"]
        self.seen = 0
        while (match := self.ask("GET", f"/api/matches/{name}"))["state"] != "over":
            turn = self.ask("GET", f"/api/matches/{name}/turn")
            if not turn["asked"]:
                self.wait(name)
                continue
            listed = turn["legal"]
            move = self.random.choice(listed) if listed else made(self.random.choice(patterns), self.random)
            self.ask("POST", f"/api/matches/{name}/move", {"move": move, "ticket": turn["ticket"]})
        assert isinstance(match, dict)
        return match

    def wait(self, name: str) -> None:
        """Follow the match until one is asked, or it is over."""
        follow = http.client.HTTPConnection("127.0.0.1", self.line.port, timeout=60)
        follow.request("GET", f"/api/matches/{name}/events?after={self.seen}", None, {"Authorization": f"Bearer {self.token}"})
        answer = follow.getresponse()
        while line := answer.readline():
            if line.strip():
                scene = json.loads(line)
                self.seen = scene["n"]
                if scene["asks"] and self.ask("GET", f"/api/matches/{name}/turn")["asked"]:
                    break
        answer.close()
        follow.close()
