"""A language model as a player: `llm:URL#MODEL`, any server that speaks the usual interface of chat completions.

`llm:key=VARIABLE prompt=FILE http://127.0.0.1:8080/v1#some-model`. Settings come first, as with engines in their own languages:

==================  ===============================================================================================
`key=VARIABLE`      the variable of our environment that holds the key; the key itself is in no string, record or log
`prompt=FILE`       what the model is told first; `$game $seat $seats $rules $spelling` stand for what they say
`tries=N`           how often a question is put to the server, until an answer has a move in it; 3
`tokens=N`          how long an answer may be; without: the server's own bound
`time=SECONDS`      how long one answer may take where no clock runs; 600
`pause=MS`          how long is waited before a question is put again, twice as long each time; 1000
`temperature=N`     as the server has it, such as 0.2; without: the server's own
==================  ===============================================================================================

Each question stands for itself: the model is shown what its seat sees, the legal moves where they can be listed, and why its last
answer was refused. What it says last as `MOVE: …` is its move, and the referee judges that; how many illegal moves are forgiven
is said in the terms of the match and nowhere else. A server that fails, or an answer without a move, is asked again; what it
took (tokens, calls, milliseconds) and the end of what the model said are noted beside the move, sealed until the end.
"""

import asyncio
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from time import monotonic
from typing import Any

from msgspec import DecodeError, Struct, ValidationError
from msgspec.json import decode

from arbitre.errors import (
    ForbiddenAddressError,
    NotTakenError,
    PlayerGarbledError,
    PlayerLateError,
    PlayerLeftError,
    PlayerStringError,
    ProtocolError,
    shorten,
)
from arbitre.games.catalogue import listing
from arbitre.games.game import Seat
from arbitre.games.grammar import rules_in_words, schemas_of
from arbitre.games.player import Position
from arbitre.players import Contestant, Setting, unknown
from arbitre.players.launch import called, read_settings
from arbitre.reasons import declare
from arbitre.referee.player import Answer, Player
from arbitre.referee.terms import Opening
from arbitre.transport.http import HttpPool, Response, read_target
from arbitre.values import value

MOST_ANSWER = 1 << 20
"""Octets of a server's answer."""
MOST_TOKENS = 1_000_000_000
"""Tokens that an answer may have taken; a server that says more exaggerates."""
MOST_SAID = 2_000
"""Characters of what a model said that are noted: the last ones, where the reasons end."""
LAST_SECONDS = 5.0
"""A call outlives the clock by so much: whether an answer is late, the referee decides."""
LONGEST_PROMPT = 1 << 18
PROMPT = Path(__file__).with_name("llm_prompt.txt")
SETTINGS = ("key", "prompt", "tries", "tokens", "time", "pause", "temperature")
MOVE = re.compile(r"MOVE[\s*`_]*[:=](.*)", re.IGNORECASE)
"""Matched at the beginning of a single line: over a whole answer a hostile one would take hours to search."""
BEFORE, BEHIND = " \t>*`#_-", " \t\r\n*`_.!"
"""What models adorn a line with, before its words and behind them."""
AGAIN = "Your answer does not end with a line of the form MOVE: the move. Say your move so."

REASONS = declare(
    {
        "llm-status": ("the model's server answers %(status)s: %(text)s", "le serveur du modèle répond %(status)s : %(text)s"),
        "llm-unreachable": ("the model's server: %(why)s", "le serveur du modèle : %(why)s"),
        "llm-answer": (
            "the model's server answers with nothing that chat completions know",
            "le serveur du modèle répond par rien que connaissent les chat completions",
        ),
        "llm-long": (
            "the model's server answers with more than %(most)s octets",
            "le serveur du modèle répond par plus de %(most)s octets",
        ),
        "llm-no-move": ("the model names no move: %(text)r", "le modèle ne nomme aucun coup : %(text)r"),
        "llm-silent": ("no answer of the model within %(seconds)s seconds", "pas de réponse du modèle en %(seconds)s secondes"),
    }
)


class Message(Struct):
    """What a model says."""

    content: str | None = None
    refusal: str | None = None


class Choice(Struct):
    """One answer of a model."""

    message: Message


class Usage(Struct):
    """What an answer took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(Struct):
    """What a server answers."""

    choices: list[Choice]
    usage: Usage | None = None


@value
class ModelServer:
    """A model at a server, and how it is asked."""

    url: str
    model: str
    prompt: str
    key: str = ""
    tries: int = 3
    tokens: int | None = None
    seconds: float = 600.0
    pause: float = 1.0
    temperature: float | None = None

    @property
    def headers(self) -> dict[str, str]:
        """What every request carries."""
        return {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})

    def body(self, messages: list[dict[str, str]]) -> bytes:
        """Return the request that puts a question."""
        said: dict[str, Any] = {"model": self.model, "messages": messages}
        said |= {} if self.tokens is None else {"max_tokens": self.tokens}
        said |= {} if self.temperature is None else {"temperature": self.temperature}
        return json.dumps(said).encode()

    def without_key(self, text: str) -> str:
        """Return what a server said, as it may be told: a careless one repeats what it was sent."""
        return shorten(text.replace(self.key, "…") if self.key else text, 200)


class Tally:
    """What one move took."""

    def __init__(self) -> None:
        self.begun = monotonic()
        self.calls = self.tokens_in = self.tokens_out = 0

    def note(self, model: str, said: str) -> str:
        """Return what is noted beside the move."""
        spent = round(1000 * (monotonic() - self.begun))
        numbers = {"tokens_in": self.tokens_in, "tokens_out": self.tokens_out, "calls": self.calls, "ms": spent}
        took = " ".join(f"{key}={number}" for key, number in numbers.items())
        return f"{took} model={shorten(model)} said={' '.join(said.split())[-MOST_SAID:]}"


class LlmPlayer(Player):
    """A model that plays one seat of one match."""

    def __init__(self, server: ModelServer) -> None:
        self.server = server
        self._pool: HttpPool | None = None
        self._system = ""

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Tell the model nothing yet: what it is told first comes with every question."""
        one, game = listing(opening.game.name), opening.game
        words = {
            "game": one.called(),
            "seat": seat + 1,
            "seats": game.seats,
            "rules": rules_in_words(one),
            "spelling": json.dumps(schemas_of(game, "en")["move"], ensure_ascii=False),
        }
        self._system = Template(self.server.prompt).safe_substitute(words)
        self._pool = HttpPool(most_body=MOST_ANSWER)

    async def ask(self, position: Position) -> Answer:
        """Put the question until the model names a move; `PlayerError` where it does not."""
        tally = Tally()
        messages = [{"role": "system", "content": self._system}, {"role": "user", "content": question(position)}]
        fault: PlayerGarbledError | PlayerLeftError = PlayerGarbledError("llm-answer")
        for attempt in range(self.server.tries):
            if attempt:
                await asyncio.sleep(self.server.pause * 2 ** (attempt - 1))
            try:
                said = await self._said(messages, tally, self._patience(position, tally))
            except Hopeless:
                raise
            except (PlayerGarbledError, PlayerLeftError) as error:
                fault = error
                continue
            note = tally.note(self.server.model, said)
            spent = monotonic() - tally.begun
            if resigns(said):
                return Answer("", spent, resigns=True, note=note)
            if move := named(said):
                return Answer(move, spent, note=note)
            fault = PlayerGarbledError("llm-no-move", text=shorten(said))
            messages = [*messages[:2], {"role": "assistant", "content": said[-MOST_SAID:]}, {"role": "user", "content": AGAIN}]
        raise fault

    def _patience(self, position: Position, tally: Tally) -> float:
        """Return how many seconds the next answer may take: what the clock leaves, where one runs."""
        if position.left is None:
            return self.server.seconds
        return max(0.001, position.left / 1000 - (monotonic() - tally.begun) + LAST_SECONDS)

    async def _said(self, messages: list[dict[str, str]], tally: Tally, seconds: float) -> str:
        """Put the question once, and return what the model says."""
        tally.calls += 1
        response = await self._asked(self.server.body(messages), seconds)
        if not response.whole:
            raise PlayerGarbledError("llm-long", most=MOST_ANSWER)
        if response.status != 200:
            text = self.server.without_key(response.body.strip())
            fault = PlayerLeftError("llm-status", status=response.status, text=text)
            raise fault if response.status == 429 or response.status >= 500 else Hopeless(fault.reason)
        try:
            found = decode(response.body, type=Completion)
        except (DecodeError, ValidationError, RecursionError):
            raise PlayerGarbledError("llm-answer") from None
        if found.usage is not None:
            tally.tokens_in += min(max(0, found.usage.prompt_tokens), MOST_TOKENS)
            tally.tokens_out += min(max(0, found.usage.completion_tokens), MOST_TOKENS)
        if not found.choices:
            raise PlayerGarbledError("llm-answer")
        message = found.choices[0].message
        said = message.content or message.refusal or ""
        return said.replace(self.server.key, "…") if self.server.key else said

    async def _asked(self, body: bytes, seconds: float) -> Response:
        assert self._pool is not None  # noqa: S101 - it sat down
        try:
            async with asyncio.timeout(seconds):
                return await self._pool.post(self.server.url, body, self.server.headers)
        except TimeoutError:
            raise PlayerLateError("llm-silent", int(seconds * 1000), seconds=f"{seconds:g}") from None
        except (NotTakenError, ForbiddenAddressError, ProtocolError) as error:
            raise PlayerLeftError("llm-unreachable", why=error) from error
        except OSError as error:
            raise PlayerLeftError("llm-unreachable", why=shorten(str(error) or type(error).__name__)) from error

    async def leave(self) -> None:
        """Hang up."""
        if self._pool is not None:
            await self._pool.close()


class Hopeless(PlayerLeftError):  # noqa: N818 - it is a fault like others, and its name says what is different
    """The server refuses, and would refuse again."""


def question(position: Position) -> str:
    """Return what a model is asked: what its seat sees, and which moves there are."""
    notation, legal = position.notation, position.legal
    parts = [f"Turn {position.turn}. Your seat sees: {position.text}", notation.picture(position.view)]
    if legal:
        parts.append(f"Legal moves: {' '.join(legal)}")
    if position.left is not None:
        parts.append(f"Milliseconds left on your clock: {position.left}")
    if position.refused is not None:
        parts.append(f"Your last move was refused: {position.refused}. Say another.")
    return "\n\n".join([*parts, "Which move do you make?"])


def resigns(said: str) -> bool:
    """Tell whether the last line of a model gives up."""
    *_, last = said.rstrip(BEHIND).splitlines() or [""]
    return last.lstrip(BEFORE).upper() == "RESIGN"


def named(said: str) -> str:
    """Return the move that a model names last, or all that it says where that is a word or two; empty: none."""
    found, below = None, ""
    for line in reversed(said.splitlines()):
        if (match := MOVE.match(line.lstrip(BEFORE))) is not None and (found := match[1].strip() or below):
            break
        below = line.strip() or below
    bare = (found or said.strip()).strip(" \t*`'\"_.")
    return bare if 0 < len(bare) <= 200 and "\n" not in bare and (found or len(bare.split()) <= 2) else ""


# ── from a string ──────────────────────────────────────────────────────────────────────────────────────────────────


def contestant(text: str, rest: str, setting: Setting) -> Contestant:
    """Return the model that a string names; `PlayerStringError` says what is wrong."""
    given, words = read_settings(text, rest, SETTINGS)
    if len(words) != 1:
        raise unknown(text, setting)
    url, _, model = words[0].partition("#")
    if not model or not model.isprintable() or not url.startswith(("http://", "https://")):
        raise PlayerStringError("%(text)r: write llm:http://HOST/v1#MODEL", text=shorten(text))
    only = dict(given)
    server = ModelServer(
        _address(text, url),
        model,
        _prompt(text, only.get("prompt", ""), setting),
        _key(text, only.get("key", "")),
        _whole(text, only, "tries", 3, 20),
        _whole(text, only, "tokens", 0, 1_000_000) or None,
        _number(text, only, "time", 600.0),
        _whole(text, only, "pause", 1_000, 60_000) / 1000,
        _number(text, only, "temperature", 0.0) if "temperature" in only else None,
    )
    shown = f"llm:{_bare(url)}#{model}"
    return Contestant(called(model, setting), shorten(shown, 400), lambda _seed: LlmPlayer(server), outside=True)


def _address(text: str, url: str) -> str:
    where, mark, query = url.partition("?")
    whole = where if where.endswith("/chat/completions") else f"{where.rstrip('/')}/chat/completions"
    try:
        if read_target(whole).url.user is not None:
            raise PlayerStringError("%(text)r: write key=VARIABLE, and no password in the address", text=_bare(url))
    except ForbiddenAddressError as error:
        raise PlayerStringError("%(text)r: %(why)s", text=shorten(text), why=error) from None
    return whole + mark + query


def _bare(url: str) -> str:
    """Return an address as records and errors have it: without passwords, and without a query, which may hold one."""
    scheme, _, rest = url.partition("?")[0].partition("//")
    return f"{scheme}//{rest.rpartition('@')[2]}"


def _prompt(text: str, file: str, setting: Setting) -> str:
    path = (setting.folder or Path()) / file if file else PROMPT
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise PlayerStringError("%(text)r: the prompt %(file)r is no file", text=shorten(text), file=shorten(file))
    try:
        with path.open(encoding="utf-8") as opened:
            found = opened.read(LONGEST_PROMPT + 1)
    except (OSError, ValueError) as error:
        raise PlayerStringError("%(text)r: the prompt cannot be read: %(error)s", text=shorten(text), error=error) from None
    if len(found) > LONGEST_PROMPT:
        raise PlayerStringError("%(text)r: a prompt has at most %(most)s characters", text=shorten(text), most=LONGEST_PROMPT)
    return found


def _key(text: str, variable: str) -> str:
    if not variable:
        return ""
    found = os.environ.get(variable, "").strip()
    if not found or not found.isascii() or not found.isprintable():
        raise PlayerStringError(
            "%(text)r: the variable %(variable)s holds no key", text=shorten(text), variable=shorten(variable)
        )
    return found


def _whole(text: str, given: Mapping[str, str], key: str, usual: int, most: int) -> int:
    said = given.get(key, str(usual))
    if not (
        said.isascii() and said.isdigit() and len(said) < 9 and int(said) <= most and (int(said) or key == "pause" or not usual)
    ):
        raise PlayerStringError(
            "%(text)r: %(key)s is a whole number up to %(most)s, not %(given)r",
            text=shorten(text), key=key, most=most, given=shorten(said),
        )  # fmt: skip
    return int(said)


def _number(text: str, given: Mapping[str, str], key: str, usual: float) -> float:
    said = given.get(key, str(usual))
    if not re.fullmatch(r"[0-9]{1,6}(?:\.[0-9]{1,3})?", said) or (key == "time" and not float(said)):
        raise PlayerStringError("%(text)r: %(key)s is a number, not %(given)r", text=shorten(text), key=key, given=shorten(said))
    return float(said)
