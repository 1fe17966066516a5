"""What a site does, as methods; whatever has none is `ask("GET", "/api/…")`, as the site's description has it."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from arbitre.client.wire import Wire, part
from arbitre.errors import SiteError, shorten


class Client(Wire):
    """A site."""

    def me(self) -> dict[str, Any]:
        """Return who the token speaks for."""
        return dict(self.ask("GET", "/api/me"))

    def key(self) -> dict[str, Any]:
        """Return the key with which the site signs records: `arbitre verify --key FINGERPRINT` wants its fingerprint."""
        return dict(self.ask("GET", "/api/key"))

    def games(self) -> list[dict[str, Any]]:
        """Return the catalogue of games."""
        return list(self.ask("GET", "/api/games"))

    # ── matches ────────────────────────────────────────────────────────────────────────────────────────────────────

    def matches(self, **wanted: object) -> Iterator[dict[str, Any]]:
        """Return matches, the newest first, page by page: `state`, `game`, `words`, `mine`."""
        return self.pages("/api/matches", wanted)

    def match(self, name: str) -> dict[str, Any]:
        """Return one match."""
        return dict(self.ask("GET", f"/api/matches/{part(name)}"))

    def call(self, game: str, first: str, second: str, *, key: str = "", **more: object) -> dict[str, Any]:
        """Call a match: a seat is `me`, `friend`, `house`, `house:LEVEL` or `engine:NUMBER`."""
        body = {"game": game, "seats": [read_seat(first), read_seat(second)], **more}
        return dict(self.ask("POST", "/api/matches", body, {"Idempotency-Key": key or uuid4().hex}))

    def turn(self, name: str, wait: int = 0) -> dict[str, Any]:
        """Return what one is asked, now or within so many seconds (25 at most)."""
        return dict(self.ask("GET", f"/api/matches/{part(name)}/turn?wait={wait}"))

    def move(self, name: str, move: str, ticket: str = "", note: str = "") -> dict[str, Any]:
        """Say a move, and perhaps something about it that stays sealed until the end."""
        return dict(self.ask("POST", f"/api/matches/{part(name)}/move", {"move": move, "ticket": ticket, "note": note}))

    def resign(self, name: str) -> dict[str, Any]:
        """Give up."""
        return self._do(name, "resign")

    def draw(self, name: str) -> dict[str, Any]:
        """Offer a draw, or take the one that is offered (`turn` says `offered`)."""
        return self._do(name, "draw")

    def again(self, name: str) -> dict[str, Any]:
        """Call the same match once more, with the seats changed."""
        return self._do(name, "again")

    def stop(self, name: str) -> dict[str, Any]:
        """End a match of one's own between players who are not people."""
        return self._do(name, "stop")

    def invite(self, name: str) -> dict[str, Any]:
        """Make a link, and its code, for the free chair of a match."""
        return self._do(name, "invite")

    def accept(self, code: str) -> dict[str, Any]:
        """Take the chair that an invitation offers."""
        return dict(self.ask("POST", f"/api/invitations/{part(code)}/accept"))

    def _do(self, name: str, what: str) -> dict[str, Any]:
        return dict(self.ask("POST", f"/api/matches/{part(name)}/{what}"))

    def cancel(self, name: str) -> None:
        """Take back a match that has not begun."""
        self.ask("DELETE", f"/api/matches/{part(name)}")

    def record(self, name: str, form: str = "record") -> str:
        """Return the record of a match that is over."""
        return str(self.ask("GET", f"/api/matches/{part(name)}/record?form={form}"))

    def trace(self, name: str, seat: int) -> Iterator[dict[str, Any]]:
        """Return what was exchanged with one's own engine in a match."""
        return self.pages(f"/api/matches/{part(name)}/trace/{seat}")

    def follow(self, name: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """Return the scenes of a match as they come, until it is over; a line that is cut is taken up where it was."""
        closed = False

        def opened() -> Iterator[dict[str, Any]]:
            nonlocal after, closed
            told = False
            for scene in self.stream(f"/api/matches/{part(name)}/events?after={after}"):
                told, after, closed = True, scene["n"], scene["closed"]
                yield scene  # behind the last one the line ends when the record is sealed
            closed = closed or (not told and self.match(name)["state"] in ("decided", "over"))  # there was nothing behind `after`

        return self.persist(opened, lambda: closed)

    # ── engines and added games ────────────────────────────────────────────────────────────────────────────────────

    def engines(self, **wanted: object) -> Iterator[dict[str, Any]]:
        """Return registered engines, page by page: `game`, `mine`."""
        return self.pages("/api/engines", wanted)

    def add_engine(self, game: str, name: str, url: str, **style: object) -> dict[str, Any]:
        """Register an engine that answers well: `full`, `direct`, `notify`, `login`, `public`; `anyway` where it does not."""
        return dict(self.ask("POST", "/api/engines", {"game": game, "name": name, "url": url, **style}))

    def check_engine(self, number: int) -> dict[str, Any]:
        """Try an engine of one's own out."""
        return dict(self.ask("POST", f"/api/engines/{number}/check"))

    def retire_engine(self, number: int) -> dict[str, Any]:
        """Retire an engine."""
        return dict(self.ask("DELETE", f"/api/engines/{number}"))

    def sources(self, klass: int | None = None) -> Iterator[dict[str, Any]]:
        """Return one's own kept sources, or those of everybody in a class that one teaches."""
        return self.pages("/api/sources" if klass is None else f"/api/classes/{klass}/sources")

    def save_source(self, game: str, name: str, language: str, text: str) -> dict[str, Any]:
        """Keep a text under a name of one's own, as a new version where it changed."""
        return dict(self.ask("POST", "/api/sources", {"game": game, "name": name, "language": language, "text": text}))

    def source_text(self, number: int, version: int | None = None) -> str:
        """Return the text of a source of one's own, or of a pupil's; the newest where no version is named."""
        which = "" if version is None else f"?version={version}"
        return str(self.ask("GET", f"/api/sources/{number}/text{which}")["text"])

    def source_versions(self, number: int) -> Iterator[dict[str, Any]]:
        """Return the versions of a source, the newest first."""
        return self.pages(f"/api/sources/{number}/versions")

    def lend_source(self, number: int, to: str) -> dict[str, Any]:
        """Say whose runners may play one's own source: `no`, `class` or `all`."""
        return dict(self.ask("PUT", f"/api/sources/{number}/lent", {"lent": to}))

    def share_source(self, number: int) -> dict[str, Any]:
        """Make the link by which anybody reads one's own source."""
        return dict(self.ask("PUT", f"/api/sources/{number}/link"))

    def unshare_source(self, number: int) -> None:
        """End the link to one's own source."""
        self.ask("DELETE", f"/api/sources/{number}/link")

    def remove_source(self, number: int) -> None:
        """Throw one's own source away."""
        self.ask("DELETE", f"/api/sources/{number}")

    def engine_token(self, number: int) -> str:
        """Make the token of an engine of one's own that dials in, shown this once; the one before it ends."""
        return str(self.ask("POST", f"/api/engines/{number}/token")["token"])

    def end_engine_token(self, number: int) -> dict[str, Any]:
        """End the token of an engine of one's own."""
        return dict(self.ask("DELETE", f"/api/engines/{number}/token"))

    def practise(self, level: int | None = 1) -> dict[str, Any]:
        """Begin a game against the house for the engine whose own token this is, and for which a program listens."""
        return dict(self.ask("POST", "/api/engines/me/practice", {"level": level}))

    def dial_program(self) -> str:
        """Return `dial.py` for the engine whose own token this is; the token is in it."""
        return str(self.ask("GET", "/api/engines/me/dial.py"))

    # ── classes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def classes(self) -> Iterator[dict[str, Any]]:
        """Return the classes that one teaches or belongs to."""
        return self.pages("/api/classes")

    def make_class(self, name: str) -> dict[str, Any]:
        """Make a class."""
        return dict(self.ask("POST", "/api/classes", {"name": name}))

    def join_class(self, code: str) -> dict[str, Any]:
        """Join a class by its code."""
        return dict(self.ask("POST", "/api/classes/join", {"code": code}))

    def leave_class(self, number: int) -> None:
        """Leave a class."""
        self.ask("POST", f"/api/classes/{number}/leave")

    def rename_class(self, number: int, name: str) -> dict[str, Any]:
        """Give one's class another name."""
        return dict(self.ask("PUT", f"/api/classes/{number}", {"name": name}))

    def end_class(self, number: int, name: str) -> None:
        """End one's class, whose name is said so that none ends by a slip; pupils, engines and competitions stay."""
        self.ask("DELETE", f"/api/classes/{number}?{urlencode({'name': name})}")

    def renew_class_code(self, number: int) -> dict[str, Any]:
        """Make a new code for one's class."""
        return dict(self.ask("POST", f"/api/classes/{number}/code", {}))

    def set_lesson(self, number: int, *, accounts_only: bool) -> dict[str, Any]:
        """Say whether only who has an account joins one's class."""
        return dict(self.ask("PUT", f"/api/classes/{number}/lesson", {"accounts_only": accounts_only}))

    def members(self, number: int) -> Iterator[dict[str, Any]]:
        """Return the members of one's class with their engines."""
        return self.pages(f"/api/classes/{number}/members")

    def remove_member(self, number: int, pupil: int) -> None:
        """Take somebody out of one's class."""
        self.ask("DELETE", f"/api/classes/{number}/members/{pupil}")

    def prepare_accounts(self, number: int, names: Sequence[str]) -> list[dict[str, Any]]:
        """Make an account in one's class for each name, with its first password, shown this once."""
        return list(self.ask("POST", f"/api/classes/{number}/accounts", {"names": list(names)})["accounts"])

    def reset_member(self, number: int, pupil: int) -> dict[str, Any]:
        """Make a new first password for an account that was made for one's class."""
        return dict(self.ask("POST", f"/api/classes/{number}/members/{pupil}/code"))

    def hold_class_competition(self, number: int, game: str, title: str = "") -> dict[str, Any]:
        """Hold a competition of one's class, in which everybody's newest engine is entered."""
        return dict(self.ask("POST", f"/api/classes/{number}/compete", {"game": game, "title": title}))

    def class_results(self, number: int) -> Iterator[dict[str, Any]]:
        """Return how everybody did in the competitions of one's class."""
        return self.pages(f"/api/classes/{number}/results")

    def gateway(self, number: int) -> dict[str, Any]:
        """Return where the gateway of a class's school is and what the school tells its members; its key to the teacher."""
        return dict(self.ask("GET", f"/api/classes/{number}/gateway"))

    def set_gateway(self, number: int, url: str) -> dict[str, Any]:
        """Say where the gateway of one's class is, nowhere where the address is empty; another address has another key."""
        return dict(self.ask("PUT", f"/api/classes/{number}/gateway", {"url": url}))

    def renew_gateway_key(self, number: int) -> dict[str, Any]:
        """Make a new key for the gateway of one's class."""
        return dict(self.ask("POST", f"/api/classes/{number}/gateway/key"))

    def set_school_words(self, number: int, words: str) -> dict[str, Any]:
        """Say what members of one's class read about the school."""
        return dict(self.ask("PUT", f"/api/classes/{number}/words", {"words": words}))

    def added(self, **wanted: object) -> Iterator[dict[str, Any]]:
        """Return games that people added, page by page: `name`, `mine`."""
        return self.pages("/api/added", wanted)

    def added_game(self, name: str) -> dict[str, Any]:
        """Return the added game of a name."""
        found = next(self.added(name=name), None)
        if found is None:
            raise SiteError("no added game is called %(name)r", 404, name=shorten(name))
        return found

    def check_added(self, **game: object) -> dict[str, Any]:
        """Try the programs of a game as they would be added: `name`, `url`, `engine`, `interface`, `about` and more."""
        return dict(self.ask("POST", "/api/added/check", game))

    def add_game(self, **game: object) -> dict[str, Any]:
        """Add a game whose programs play together; the same fields."""
        return dict(self.ask("POST", "/api/added", game))

    def call_added(self, number: int, first: str, second: str, *, key: str = "", **more: object) -> dict[str, Any]:
        """Call a match of an added game: a seat is `me`, `friend`, `model`, `engine:NUMBER` or the address of an engine."""
        seats = [_added_seat(one) for one in (first, second)]
        return dict(
            self.ask("POST", f"/api/added/{number}/matches", {"seats": seats, **more}, {"Idempotency-Key": key or uuid4().hex})
        )

    # ── competitions ───────────────────────────────────────────────────────────────────────────────────────────────

    def competitions(self, **wanted: object) -> Iterator[dict[str, Any]]:
        """Return competitions, the newest first: `stage`, `game`."""
        return self.pages("/api/competitions", wanted)

    def announce(self, title: str, game: str, **more: object) -> dict[str, Any]:
        """Announce a competition."""
        return dict(self.ask("POST", "/api/competitions", {"title": title, "game": game, **more}))

    def change_competition(self, number: int, title: str | None = None, **changed: object) -> dict[str, Any]:
        """Announce a competition of one's own otherwise, while it is not running; what is not given stays as it was."""
        return dict(self.ask("PATCH", f"/api/competitions/{number}", {"title": title, **changed}))

    def competition(self, number: int, code: str = "") -> dict[str, Any]:
        """Return one competition."""
        return dict(self.ask("GET", f"/api/competitions/{number}?{urlencode({'code': code})}"))

    def steer(self, number: int, do: str, why: str = "") -> dict[str, Any]:
        """Open the entries of a competition, `begin` it, `cancel` it for a reason, or let it go on `again`."""
        return dict(self.ask("POST", f"/api/competitions/{number}/steer", {"do": do, "why": why}))

    def enter(self, number: int, engine: int | None = None, code: str = "") -> dict[str, Any]:
        """Enter an engine, or oneself."""
        return dict(self.ask("POST", f"/api/competitions/{number}/enter", {"engine": engine, "code": code}))

    def entries(self, number: int, code: str = "") -> Iterator[dict[str, Any]]:
        """Return who takes part."""
        return self.pages(f"/api/competitions/{number}/entries", {"code": code})

    def progress(self, number: int, code: str = "") -> dict[str, Any]:
        """Return how a competition stands."""
        return dict(self.ask("GET", f"/api/competitions/{number}/progress?{urlencode({'code': code})}"))

    def honours(self, number: int, code: str = "") -> dict[str, Any]:
        """Return who is honoured for what in a competition that is over, and how many records were verified."""
        return dict(self.ask("GET", f"/api/competitions/{number}/honours?{urlencode({'code': code})}"))

    def watch(self, number: int, code: str = "") -> Iterator[dict[str, Any]]:
        """Return a line whenever a competition has changed, until it is over; a line that is cut is taken up."""
        stage = ""

        def opened() -> Iterator[dict[str, Any]]:
            nonlocal stage
            for change in self.stream(f"/api/competitions/{number}/events?{urlencode({'code': code})}"):
                stage = change["stage"]
                yield change

        return self.persist(opened, lambda: stage in ("over", "cancelled"))

    def competition_games(self, number: int, code: str = "") -> Iterator[dict[str, Any]]:
        """Return the games of a competition that was drawn, with their results."""
        return self.pages(f"/api/competitions/{number}/games", {"code": code})

    def competition_records(self, number: int, code: str = "") -> bytes:
        """Return the archive of a competition that is over: unpacked, `arbitre tournament judge` reads it."""
        return self.octets(f"/api/competitions/{number}/records?{urlencode({'code': code})}")

    # ── the league, elections and the arcade ───────────────────────────────────────────────────────────────────────

    def league(self) -> dict[str, Any]:
        """Return the table of the draughts league."""
        return dict(self.ask("GET", "/api/league"))

    def league_games(self, player: str = "") -> Iterator[dict[str, Any]]:
        """Return confirmed games of the league, the newest first."""
        return self.pages("/api/league/games", {"player": player})

    def league_pdn(self, number: int | None = None) -> str:
        """Return one confirmed game, or all, as PDN."""
        where = "/api/league/pdn" if number is None else f"/api/league/games/{number}/pdn"
        return str(self.ask("GET", where) or "")

    def open_room(self, title: str) -> dict[str, Any]:
        """Open the room of an election."""
        return dict(self.ask("POST", "/api/elections/rooms", {"title": title}))

    def room(self, code: str) -> dict[str, Any]:
        """Return how a room stands."""
        return dict(self.ask("GET", f"/api/elections/rooms/{part(code)}"))

    def start_room(self, code: str) -> dict[str, Any]:
        """Let the election of a room that one opened begin."""
        return dict(self.ask("POST", f"/api/elections/rooms/{part(code)}/start"))

    def room_events(self, code: str) -> Iterator[dict[str, Any]]:
        """Return what happens in a room as it does, until it is over."""
        return self.follow_lines(f"/api/elections/rooms/{part(code)}/events")

    def draw_lots(self, names: list[str]) -> dict[str, Any]:
        """Draw an order of names on the site's machine."""
        return dict(self.ask("POST", "/api/elections/draws", {"names": names}))

    def election(self, name: str) -> dict[str, Any]:
        """Return what a finished election came to."""
        return dict(self.ask("GET", f"/api/elections/records/{part(name)}"))

    def transcript(self, name: str) -> bytes:
        """Return the transcript of a finished election: the whole proof."""
        return self.octets(f"/api/elections/records/{part(name)}/transcript")

    def fame(self) -> list[dict[str, Any]]:
        """Return the best victories over the machine of the arcade."""
        return list(self.ask("GET", "/api/arcade/fame"))

    def bout(self, name: str) -> dict[str, Any]:
        """Return a match at the arcade that is over, and what its record is worth."""
        return dict(self.ask("GET", f"/api/arcade/records/{part(name)}"))

    def bout_record(self, name: str) -> str:
        """Return the record of a match at the arcade."""
        return str(self.ask("GET", f"/api/arcade/records/{part(name)}/record"))


def read_seat(text: str) -> dict[str, object]:
    """Return who sits down, as the site reads it."""
    kind, _, number = text.partition(":")
    given = int(number) if number.isascii() and number.isdigit() and len(number) < 12 else None
    match kind:
        case "house":
            return {"who": "house", "level": given}
        case "engine" if given is not None:
            return {"who": "engine", "engine": given}
        case "me" | "friend":
            return {"who": kind}
    raise SiteError("a seat is me, friend, house, house:LEVEL or engine:NUMBER, not %(text)r", text=shorten(text))


def _added_seat(text: str) -> dict[str, object]:
    """Return who sits down at an added game, as the site reads it."""
    if text in ("me", "friend", "model"):
        return {"who": text}
    number = text.removeprefix("engine:")
    if number != text and number.isascii() and number.isdigit():
        return {"who": "engine", "engine": int(number)}
    return {"who": "address", "url": text}
