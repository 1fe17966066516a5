"""The settings of the site: one value, read from one TOML file and from the options of `arbitre serve`.

A setting has one name everywhere: `public_url` here, `public-url` in the file, `--public-url` on the command line. An option
beats the file, the file beats the default. Whatever is wrong is a `SettingsError` that names where it was given, the setting,
and why.
"""

import socket
import tomllib
from collections.abc import Mapping
from dataclasses import Field, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from arbitre.arcade.visitor import PORT as ARCADE_PORT
from arbitre.errors import ArbitreError, SettingsError, refusal, shorten
from arbitre.league.duel import PORT as DUEL_PORT
from arbitre.league.report import PORT as REPORT_PORT
from arbitre.records.place import Place
from arbitre.tournament.keys import Keys
from arbitre.transport.guard import LOOPBACK, Network, read_networks
from arbitre.values import value

PORT = 8000
HUB_PORT = 8282
MOST_FILE = 65_536
LONGEST_NODE = 60
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - what it is called, not where we listen


def _set(default: Any, line: str, least: int = 0, most: int = 0) -> Any:
    return field(default=default, metadata={"line": line, "least": least, "most": most})


@value
class Settings:
    """Everything that the operator of a site can choose."""

    host: str = _set("127.0.0.1", "The address to listen on; 0.0.0.0 or :: for every one.")
    port: int = _set(PORT, "The port of the site; 0 takes a free one.", 0, 65_535)
    data: Path = _set(Path("arbitre-data"), "The data folder.")
    database: str = _set("", "A PostgreSQL, postgresql://…, for everything but keys and files; else SQLite in the data folder.")
    node: str = _set("", "The name of this process among those that share a PostgreSQL; else made of machine and port.")
    node_url: str = _set("", "Where the other nodes reach this one; else made of host and port.")
    drain: int = _set(
        5, "How many seconds a node that stops goes on passing requests on to the others, so that balancers notice.", 0, 600
    )
    name: str = _set("Arbitre", "What the site is called in its header.")
    public_url: str = _set("", "Where browsers and engines reach the site; else made of host and port.")
    trusted_proxy: tuple[str, ...] = _set(
        (), "A range of reverse proxies whose X-Forwarded-For counts; may be given several times."
    )
    allow_private: tuple[str, ...] = _set(
        (), "A private range in which everybody's engines may be called; may be given several times."
    )
    calls_from: tuple[str, ...] = _set(
        (), "An address that engines are called from, shown to programmers; may be given several times; else found out."
    )
    registrar_port: int = _set(REPORT_PORT, "The port of the draughts registrar; 0 for none.", 0, 65_535)
    registrar_proxy: tuple[str, ...] = _set(
        (), "A range of balancers that tell the registrar by PROXY protocol for whom they speak; may be given several times."
    )
    arcade_port: int = _set(ARCADE_PORT, "The port of the arcade; 0 for none.", 0, 65_535)
    hub_port: int = _set(HUB_PORT, "The port of the hub of elections; 0 for none.", 0, 65_535)
    defender_port: int = _set(DUEL_PORT, "The port of the house's draughts defender; 0 for none.", 0, 65_535)
    defender_level: int = _set(2, "How strong that defender is.", 1, 5)
    listen: str = _set("", "The address of these four listeners; else the one of the site.")
    timezone: str = _set("Europe/Paris", "Where the days of the draughts league begin and end.")
    league_roster: str = _set("", "A file of groups by address or prefix, for the draughts league.")
    house_games: int = _set(2, "How many games of house engines are always going on; 0 for none.", 0, 16)
    house_records: int = _set(
        200, "How many finished ones of these are kept; older ones go. Games of people and competitions stay.", 1, 1_000_000
    )
    log_period: int = _set(1, "Seconds between two checkpoints of the transparency log; 0 for no log.", 0, 86_400)
    log_witness: tuple[str, ...] = _set(
        (), "A witness of the log, 'NAME+ID+KEY https://…', that is asked to sign each checkpoint; may be given several times."
    )
    pace: int = _set(1_200, "Requests a minute that one address may make; answers of engines are not counted.", 1, 1_000_000)
    metrics_from: tuple[str, ...] = _set(("127.0.0.0/8", "::1"), "A range that may read /metrics; may be given several times.")
    log: str = _set("plain", "The form of the log on standard error: plain, or json, one object a line.")
    log_requests: bool = _set(False, "Whether every request is logged, without what is secret in its address.")
    registration: bool = _set(True, "Whether visitors may make accounts by themselves.")

    def __post_init__(self) -> None:
        for key, texts in (
            ("trusted-proxy", self.trusted_proxy),
            ("registrar-proxy", self.registrar_proxy),
            ("allow-private", self.allow_private),
            ("calls-from", self.calls_from),
            ("metrics-from", self.metrics_from),
        ):
            _judged(key, lambda texts=texts: read_networks(texts))
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise SettingsError(
                "timezone: no time zone is called %(timezone)r: try Europe/Paris", timezone=shorten(self.timezone)
            ) from None
        if self.log not in ("plain", "json"):
            raise SettingsError("log is plain or json, not %(log)r", log=shorten(self.log))
        _judged("database", lambda: self.place)
        for key, text in (("public-url", self.public_url), ("node-url", self.node_url)):
            if text:
                _judged(key, lambda text=text: _check_public(text))
        if not all(" " < one < "\x7f" and one not in '"\\' for one in self.node) or len(self.node) > LONGEST_NODE:
            raise SettingsError("node: at most %(most)s letters without spaces, not %(node)r", most=LONGEST_NODE, node=self.node)

    @property
    def place(self) -> Place:
        """Where everything is kept."""
        return Place(self.data, self.database)

    @property
    def node_name(self) -> str:
        """What this process is called among those that share a database."""
        return self.node or f"{socket.gethostname()}:{self.port}"[:LONGEST_NODE]

    @property
    def node_address(self) -> str:
        """Where the other nodes reach this one."""
        return self.node_url.rstrip("/") or f"http://{_outside(self.host)}:{self.port}"

    @property
    def public(self) -> str:
        """Where we are reached, without a slash at the end; never taken from a request."""
        return self.public_url.rstrip("/") or f"http://{_outside(self.host)}:{self.port}"

    @property
    def address(self) -> str:
        """Where we are reached, without the scheme: with `/log` behind it the origin of the transparency log."""
        return urlsplit(self.public).netloc

    @property
    def origin(self) -> str:
        """Scheme, host and port of the public address, as browsers compare them."""
        parts = urlsplit(self.public)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def secure(self) -> bool:
        """Whether browsers reach us by https, so that cookies need never travel otherwise."""
        return self.public.startswith("https://")

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The proxies we believe."""
        return read_networks(self.trusted_proxy)

    @property
    def callable(self) -> tuple[Network, ...]:
        """The ranges beyond the public ones that engines may be called in."""
        allowed = read_networks(self.allow_private)
        return (*allowed, *LOOPBACK) if self.loopback else allowed

    @property
    def sources(self) -> tuple[str, ...]:
        """The addresses that engines are called from: what their owners write behind `--allow-from`."""
        if self.calls_from:
            return self.calls_from
        return ("127.0.0.1", "::1") if self.loopback else (_outside(EVERYWHERE[0]),)

    @property
    def league_address(self) -> str:
        """The address that the house's robots have in the draughts league, where the listeners have one that others reach."""
        host = self.listen or self.host
        try:
            found = ip_address(host)
        except ValueError:
            return ""
        return "" if found.is_unspecified or found.is_loopback else host

    @property
    def loopback(self) -> bool:
        """Whether only this machine reaches the site: not where a proxy here speaks for others."""
        reached = (self.host, urlsplit(self.public).hostname or "")
        return not self.trusted_proxy and all(map(_is_loopback, reached))


def option_name(one: "Field[Any]") -> str:
    """Return the name of a setting in a file, and after two dashes on the command line."""
    return one.name.replace("_", "-")


def read_settings(path: Path) -> dict[str, object]:
    """Return what a file sets, by field; `SettingsError` names the file, the key and why."""
    try:
        with path.open("rb") as file:
            octets = file.read(MOST_FILE + 1)
        if len(octets) > MOST_FILE:
            raise SettingsError("%(path)s: more than %(most_file)s octets of settings", path=path, most_file=MOST_FILE)
        given = tomllib.loads(octets.decode("utf-8"))
    except OSError as error:
        raise SettingsError("cannot read settings from %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError("%(path)s: %(error)s", path=path, error=error) from error
    try:
        return _fields(given)
    except ArbitreError as error:
        raise SettingsError("%(path)s: %(error)s", path=path, error=error) from None


def make_settings(path: Path | None = None, options: Mapping[str, object] | None = None) -> Settings:
    """Return the settings: defaults, then the file, then options by field."""
    given = {} if path is None else read_settings(path)
    if given:
        try:
            Settings(**given)  # type: ignore[arg-type] # `_fields` has looked at each
        except SettingsError as error:
            raise SettingsError("%(path)s: %(error)s", path=path, error=error) from None
    return Settings(**given | dict(options or {}))  # type: ignore[arg-type] # click has looked at each


def asked_for(path: Path | None, options: Mapping[str, object]) -> frozenset[str]:
    """Return the fields that somebody chose, in the file or by option: what is asked for is not left out in silence."""
    return frozenset(options) | frozenset(() if path is None else read_settings(path))


def _fields(given: Mapping[str, object]) -> dict[str, object]:
    keys = Keys(given)
    found: dict[str, object] = {}
    for one in fields(Settings):
        key = option_name(one)
        if not keys.has(key):
            continue
        if isinstance(one.default, bool):
            found[one.name] = keys.flag(key, one.default)
        elif isinstance(one.default, int):
            found[one.name] = keys.whole(key, one.default, one.metadata["least"], one.metadata["most"])
        elif isinstance(one.default, tuple):
            texts = keys.items(key, 0, 100)
            if not all(isinstance(text, str) for text in texts):
                raise keys.wrong(key, 'a list of texts such as ["10.0.0.0/8"]')
            found[one.name] = tuple(texts)
        else:
            text = keys.text(key, "")
            found[one.name] = Path(text) if isinstance(one.default, Path) else text
    keys.done()
    return found


def _judged(key: str, make: Any) -> None:
    try:
        make()
    except ArbitreError as error:
        raise SettingsError("%(key)s: %(error)s", key=key, error=error) from None


def _check_public(text: str) -> None:
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment or parts.path.strip("/") or "@" in parts.netloc or set(text) & set(" '\";,<>\\"):
        raise SettingsError("an address like https://games.example, without a path, not %(text)r", text=shorten(text))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _outside(host: str) -> str:
    """Return how others on the net call this machine: no packet is sent to find out."""
    if host in EVERYWHERE:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
                return str(probe.getsockname()[0])
            except OSError:
                return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
