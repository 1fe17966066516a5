"""`arbitre arcade`: rock, paper, scissors with commitments, against the machine or somebody else."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from random import SystemRandom

import click

from arbitre.arcade.bout import ROLES, Bout, Issue, News, Refused
from arbitre.arcade.hands import hand_of
from arbitre.arcade.house import quiet
from arbitre.arcade.ledger import Ledger
from arbitre.arcade.server import Arcade
from arbitre.arcade.side import Side, Throw
from arbitre.arcade.story import difference, reread, story
from arbitre.arcade.terms import LEVELS
from arbitre.arcade.visitor import PORT, Chooser, Player, Visitor
from arbitre.arcade.visitor import join as join_table
from arbitre.arcade.voice import ROLE_WORDS, SIGN_KEYS, SIGN_WORDS, Language
from arbitre.arcade.voice import tell as comment
from arbitre.arcade.wire import Sign
from arbitre.cli.language import language as spoken
from arbitre.cli.options import data_option
from arbitre.cli.speech import MisuseError, said, tell
from arbitre.crypto.keys import keep as keep_key
from arbitre.errors import PlayerLeftError, UnknownRecordError
from arbitre.games.game import Seat
from arbitre.reasons import N_, Reason
from arbitre.records.event import plain
from arbitre.records.keyring import known_keys
from arbitre.records.place import Place
from arbitre.records.record import read_record
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, one_line, verify
from arbitre.words import words

STATUS = {Proof.VERIFIED: 0, Proof.BROKEN: 1, Proof.INCOMPLETE: 3, Proof.INTACT: 0, Proof.FOREIGN: 6}

level_option = click.option(
    "--level",
    type=click.Choice(list(LEVELS), case_sensitive=False),
    default="Difficile",
    show_default=True,
    help="The machine's level.",
)
language_option = click.option(
    "--language",
    type=click.Choice(["en", "fr"]),
    default=spoken,
    show_default="your system's",
    help="The commentator's language.",
)


@click.group()
def arcade() -> None:
    """Rock, paper, scissors with commitments that nobody can change, to 32 points.

    `play` is the arcade machine in this terminal; `serve` opens one for others, `join` visits it, `judge` re-reads its records.
    """


@arcade.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True, help="The port; 0 takes any free one.")
@click.option("--limit", type=click.FloatRange(0.1, 3_600), default=60.0, show_default=True, help="Seconds for each command.")
@level_option
@language_option
@data_option
def serve(host: str, port: int, limit: float, level: str, language: Language, data: Place) -> None:
    """Open the arcade: many games at once, against the machine or, with a code, between two people.

    Facile and Normal are vulnerable by design: they teach why the checks exist. Stop it with Ctrl-C.
    """
    asyncio.run(_serve(host, port, limit, level, language, data))


async def _serve(host: str, port: int, limit: float, level: str, language: Language, data: Place) -> None:
    store = Store(data)
    house = Arcade(level, store=store, limit=limit, language=language)
    house.closed = _closed
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    try:
        address, number = await house.start(host, port)
        quiet()
        where = f"{address}:{number}"
        tell("the arcade is open at %(where)s, level %(level)s, records in %(data)s", where=where, level=house.level, data=data)
        if LEVELS[house.level].checks != "full":
            tell("%(level)s is vulnerable by design: see the manual's page about the arcade", level=house.level)
        tell("try: arbitre arcade join %(where)s", where=where)
        await stop.wait()
    finally:
        await house.close()
        store.close()


def _closed(ledger: Ledger) -> None:
    names = " – ".join(chair.name for chair in ledger.call.chairs)
    verdict = ledger.affairs.verdict
    click.echo(f"{ledger.call.match}  {ledger.call.terms.level}  {names}  {said(verdict.reason) if verdict else ''}")


# ── join ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Guest(Player):
    """A player of this command, who says for whom it waits; `how` is what the other says before the code."""

    def __init__(self, name: str, how: str, language: Language) -> None:
        self.name = name
        self.how = how
        self.language: Language = language

    def waits(self, code: str) -> None:
        """Tell how the other comes to this table, where results are not written."""
        waits = N_("table %(code)s: waiting for somebody who says %(how)s %(code)s (Ctrl-C leaves)")
        click.echo(plain(words(self.language)(waits, code=code, how=self.how)), err=True)


class Keyboard(Guest):
    """A person at this terminal: chooses signs, and decides about openings that are false."""

    _shown = False

    def throw(self, past: Sequence[Throw]) -> Sign:
        """Ask for a sign."""
        keys = SIGN_KEYS[self.language]
        signs = " ".join(f"{word[0]}({word[1:]})" for word in SIGN_WORDS[self.language].values())
        while True:
            click.echo(words(self.language)(N_("round %(number)s> "), number=len(past)) + f"{signs}: ", nl=False)
            word = sys.stdin.readline()
            if not word:
                raise PlayerLeftError("the input ended")
            if word.strip()[:1].lower() in keys:
                return keys[word.strip()[:1].lower()]
            if word.strip() in ("quit", "exit"):
                raise PlayerLeftError("the match was left at the keyboard")

    def side(self, seat: Seat) -> Side:
        """Sit down with a side that tells what it checks."""
        side = Witness(seat, Chooser(self), super().side(seat).key)
        side.language = self.language
        return side

    def told(self, news: News, visitor: Visitor) -> None:
        """Tell what happened."""
        ledger = visitor.ledger
        if ledger is None:
            return
        names = (ledger.call.chairs[0].name, ledger.call.chairs[1].name)
        if visitor.fingerprint and not self._shown:
            self._shown = True
            same = N_("%(fingerprint)s  (the same on the other's screen, or somebody swapped them)")
            say("keys", words(self.language)(same, fingerprint=visitor.fingerprint), self.language)
        if isinstance(news, Issue | Refused) or ledger.over:
            for line in comment(news, names, self.language, screen=True):
                say(line.kind, line.words, self.language)


class Witness(Side):
    """A side that asks the person before it accuses."""

    language: Language = "en"

    def accuses(self, bout: Bout) -> bool:
        """Call the referee when the opening is false, unless the person waves it through."""
        if not super().accuses(bout):
            return False
        said = words(self.language)
        who = ROLE_WORDS[self.language][bout.starter]
        say("check", said(N_("the opening of the %(who)s is false"), who=who), self.language)
        click.echo(said(N_("call the referee? [Y/n] ")), nl=False)
        return not sys.stdin.readline().strip().lower().startswith("n")


class HouseBot(Guest):
    """A hand of the house that plays for somebody."""

    def __init__(self, name: str, how: str, language: Language, level: str) -> None:
        super().__init__(name, how, language)
        self._hand = hand_of(level, SystemRandom())

    def throw(self, past: Sequence[Throw]) -> Sign:
        """Choose as the machine would."""
        return self._hand.throw(past)


KINDS = (N_("keys"), N_("check"), N_("verdict"), N_("compared"), N_("commentator"), N_("referee"), N_("error"))
"""What is spoken of, or who speaks."""


def say(kind: str, text: str, language: Language | None = None) -> None:
    """Speak as the referee: a bar, the kind, plain words."""
    label = words(language or spoken())(kind).upper()
    click.echo(f"{click.style('┃', fg='yellow')} {click.style(label, bold=True)} {text}")


@arcade.command()
@click.argument("address", metavar="HOST:PORT")
@click.option("--table", metavar="CODE", default="", help="Meet whoever says the same code; `new` makes one up.")
@click.option("--name", default=lambda: os.environ.get("USER", "joueur"), show_default="your user name", help="Your name.")
@click.option("--level", type=click.Choice(list(LEVELS), case_sensitive=False), help="The machine's level; else the house's own.")
@click.option("--bot", type=click.Choice(list(LEVELS), case_sensitive=False), help="Let a hand of the house play for you.")
@language_option
@data_option
def join(address: str, table: str, name: str, level: str | None, bot: str | None, language: Language, data: Place) -> int:
    """Visit an arcade: against its machine, or with --table against somebody who says the same code.

    Your program makes the commitments and checks the other's. It keeps its own record of the match, signed with your key, in the
    data folder: `arbitre arcade judge MINE THEIRS` compares it with the other's. Exit status: 0 won, 1 not.
    """
    how = f"arbitre arcade join {address} --table"
    player = HouseBot(name, how, language, bot) if bot else Keyboard(name, how, language)
    visits: list[Visitor] = []
    key = keep_key(data.folder / "player.key")
    finish = join_table(address, player, table=table, level=level or "", language=language, keep=visits.append, key=key)
    visitor = visits[0]
    ledger = visitor.ledger
    assert ledger is not None  # noqa: S101 - there is one when a match is over
    folder = data.folder / "arcade"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{ledger.call.match}-{ledger.call.keeper}.record"
    path.write_text(visitor.record().text(), encoding="utf-8", newline="")
    say("verdict", f"{said(finish.reason)}, {finish.scores[0]}–{finish.scores[1]}")
    tell("your record: %(path)s", path=path)
    return 0 if finish.winner is not None and ROLES[finish.winner] == ledger.call.keeper else 1


# ── judge and play ─────────────────────────────────────────────────────────────────────────────────────────────────


@arcade.command()
@click.argument("records", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RECORD [RECORD]")
@click.option("--rounds", "every", is_flag=True, help="Tell every round, not only faults, rulings and the end.")
@language_option
@data_option
def judge(records: tuple[Path, ...], every: bool, language: Language, data: Place) -> int:
    """Re-read the RECORD of a match, offline, and say what the referee must say; with two, compare them.

    A RECORD is a file, or the name of a match in the data folder. Exit status: 0 sound, 1 broken or different, 3 incomplete.
    """
    if len(records) > 2:
        raise MisuseError("one record is judged, two are compared")
    keys = frozenset(known_keys(data.folder))
    worst = 0
    readings = []
    for path in records:
        octets = _octets(path, data)
        found = verify(octets, keys)
        say(found.standing.value, one_line(said(found.why)))
        worst = max(worst, STATUS[found.standing], key=(0, 3, 6, 1).index)
        if found.standing in (Proof.VERIFIED, Proof.INTACT):
            readings.append(reread(read_record(octets)))
            if len(records) == 1:
                for line in story(readings[0], language, every):
                    click.echo(line)
    if len(records) == 2 and len(readings) == 2:
        differ = difference(readings[0], readings[1])
        same = Reason("both tell the same match, keys %(keys)s", keys=readings[0].fingerprint)
        say("compared", one_line(said(differ or same)))
        worst = worst if differ is None else 1
    return worst


def _octets(path: Path, data: Place) -> bytes:
    if path.is_file():
        return path.read_bytes()
    if data.made:
        store = Store(data)
        try:
            return store.record(str(path)).text().encode()
        finally:
            store.close()
    raise UnknownRecordError("there is no file %(path)r, and no data folder %(data)s", path=str(path), data=data)


@arcade.command()
@level_option
@language_option
@click.option("--name", default=lambda: os.environ.get("USER", ""), show_default="your user name", help="Your name.")
@data_option
def play(level: str, language: Language, name: str, data: Place) -> None:
    """Play at the arcade machine in this terminal: R, P, S to throw (in French P, F, C), J to call the referee, Q to leave."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise MisuseError("the machine needs a terminal; programs say arbitre arcade join HOST:PORT")
    from arbitre.tui.arcade import Cabinet  # noqa: PLC0415 - textual takes its time to load, and only this command needs it

    Cabinet(data, level=level, language=language, name=name).run()
