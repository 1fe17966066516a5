"""`arbitre play`: a game in the terminal, against the house, another bot, or a second person at the keyboard."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from time import time
from typing import TYPE_CHECKING

import click

from arbitre.cli.options import GameName, callback_option, data_option, make_game, open_switchboard, within
from arbitre.cli.speech import MisuseError, phrase, said, spoken, tell
from arbitre.crypto.chain import SEED_BYTES, commitment, derive
from arbitre.crypto.keys import Key
from arbitre.errors import AmbiguousMoveError, HouseError, InvalidMoveError
from arbitre.games.game import AnyGame, Awaits, Seat
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.players import Contestant, Setting, is_called, read_contestant, refuse_starts
from arbitre.reasons import N_, Reason, declare
from arbitre.records.event import plain
from arbitre.records.place import Place
from arbitre.records.store import Store, StoreJournal
from arbitre.referee.match import Match
from arbitre.referee.player import Agreement, Answer, Decline, Greeting, Player, SignedOpening
from arbitre.referee.runner import MatchRunner, Memory, greeted
from arbitre.referee.story import sentence
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.referee.verdict import Verdict

if TYPE_CHECKING:
    from arbitre.tournoyons.player import Switchboard

PLAYERS = (
    N_("first player"), N_("second player"), N_("third player"), N_("fourth player"), N_("fifth player"), N_("sixth player"),
    N_("seventh player"), N_("eighth player"),
)  # fmt: skip


declare(
    {
        "left-at-keyboard": ("the game was left at the keyboard", "la partie a été quittée au clavier"),
        "input-ended": ("the input ended", "l’entrée s’est terminée"),
    }
)


class LeftError(HouseError):
    """The person at the keyboard has gone."""


class Keyboard(Player):
    """A person at this terminal."""

    outside = False

    def __init__(self, covered: bool) -> None:
        self.covered = covered
        """Whether another person must not see this one's screen."""

    async def ask(self, position: Position) -> Answer:
        """Show the position, and read moves until one can be understood."""
        if self.covered:
            _hand_over(position.seat)
        if position.refused is not None:
            say("refused", plain(said(position.refused)))
        click.echo(position.notation.picture(position.view))
        while True:
            word = _line(phrase("%(who)s, turn %(turn)s> ", who=_who(position.seat), turn=position.turn))
            if word in ("quit", "exit"):
                raise LeftError("left-at-keyboard")
            if word == "resign":
                return Answer("", resigns=True)
            if word in ("?", "help"):
                click.echo(_help(position))
                continue
            try:
                position.notation.read(word, position.view)
            except (InvalidMoveError, AmbiguousMoveError) as error:
                say("what?", phrase("%(error)s; ? lists the moves", error=error))
                continue
            return Answer(word)


def _line(prompt: str) -> str:
    # at a prompt one interruption must do: the event loop would wait for its turn, and a second one
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return input(prompt).strip()
    except EOFError:
        click.echo()
        raise LeftError("input-ended") from None
    finally:
        signal.signal(signal.SIGINT, before)


def _who(seat: Seat) -> Reason:
    return Reason(PLAYERS[seat]) if seat < len(PLAYERS) else Reason("player %(number)s", number=seat + 1)


def _help(position: Position) -> str:
    legal = position.legal
    shown = " ".join(legal) if legal else Reason("too many to list, for instance %(move)s", move=position.sample(Random()))
    return phrase("legal moves: %(moves)s\nand: resign, quit, ?", moves=shown)


def _hand_over(seat: Seat) -> None:
    """Cover what the other person saw."""
    _line(phrase("the %(who)s takes the keyboard and presses Enter; the other looks away ", who=_who(seat)))
    click.clear()


KINDS = (N_("refused"), N_("what?"), N_("verdict"))
"""What the referee speaks of."""


def say(kind: str, words: str) -> None:
    """Speak as the referee: a bar, the kind, plain words."""
    click.echo(f"{click.style('┃', fg='yellow')} {click.style(spoken(kind).upper(), bold=True)} {words}")


@click.command()
@click.argument("game", type=GameName())
@click.option(
    "--opponent",
    metavar="PLAYER",
    default="house",
    show_default=True,
    help="house, house:GAME/LEVEL, random, py:FILE, cmd:COMMAND, hub:COMMAND, http://… or human.",
)
@click.option(
    "--seat", type=click.IntRange(1, len(PLAYERS)), default=1, show_default=True, help="Your seat; the first player begins."
)
@click.option("--watch", metavar="PLAYER", help="Do not play: watch this player against the opponent.")
@click.option("--start", metavar="POSITION", help="Begin from a position, in the game's notation.")
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game; `arbitre games GAME` lists them."
)
@click.option("--seed", type=int, help="Make chance and the house's luck the same each time.")
@callback_option
@click.option("--no-record", is_flag=True, help="Keep no record of the game.")
@data_option
def play(
    game: str,
    opponent: str,
    seat: int,
    watch: str | None,
    start: str | None,
    options: tuple[str, ...],
    seed: int | None,
    callback: str,
    no_record: bool,
    data: Place,
) -> None:
    """Play GAME in the terminal; `?` explains the moves, `quit` or the end of input leaves.

    The game is refereed and recorded like any other: `arbitre record show` tells it again, `arbitre verify` checks it.
    """
    table = make_game(game, options)
    if table.neutral:
        raise MisuseError(
            "%(game)s is judged by a referee of its own: play it on the site that has it (arbitre site added play NAME …), "
            "or let programs play it (arbitre tournament run --referee URL …)",
            game=game,
        )
    if not 1 <= seat <= table.seats:
        raise MisuseError("%(game)s has %(seats)s seats; there is no seat %(seat)s", game=game, seats=table.seats, seat=seat)
    if start:
        start = notation_of(table).write_state(notation_of(table).read_state(start))
    board = open_switchboard(callback) if any(map(is_called, (opponent, watch or ""))) else None
    contestants = _seated(table, opponent, seat - 1, watch, board)
    refuse_starts(contestants, [start or ""])
    secret = os.urandom(SEED_BYTES) if seed is None else derive(bytes(SEED_BYTES), f"play/{seed}")
    with contextlib.suppress(LeftError):
        asyncio.run(within(board, _play(table, contestants, start or "", secret, None if no_record else data)))


def _seated(table: AnyGame, opponent: str, seat: int, watch: str | None, board: "Switchboard | None") -> list[Contestant]:
    people = table.seats if opponent == "human" and watch is None else 1
    covered = people > 1 and not _is_open(table)
    setting = Setting(table, human=lambda: Keyboard(covered), switchboard=board)
    me = read_contestant(watch or "human", setting)
    them = read_contestant(opponent, replace(setting, name="guest" if opponent == "human" else ""))
    return [me if n == seat else them for n in range(table.seats)]


def _is_open(table: AnyGame) -> bool:
    """Tell whether everybody may hear every move at once: nothing is hidden, and nobody speaks before another has."""
    phase = table.phase(table.start())
    return not table.hides and not (isinstance(phase, Awaits) and len(phase.seats) > 1)


async def _play(table: AnyGame, contestants: Sequence[Contestant], start: str, seed: bytes, data: Place | None) -> None:
    today = datetime.now(UTC).date().isoformat()
    name = os.urandom(6).hex()
    chairs = tuple(Chair(one.name, one.text) for one in contestants)
    terms = Terms(refusals=None)
    openly = _is_open(table)
    players = [Teller(one.player(derive(seed, f"luck/{n}")), one.name, openly) for n, one in enumerate(contestants)]
    store = None if data is None else Store(data)
    try:
        key = Key(derive(seed, "key")) if store is None else store.key()
        notes, public = {"date": today}, key.public.hex()
        opening = Opening(name, table, chairs, commitment(seed), terms, start, notes=notes, referee=public, opened=int(time()))
        match = Match(await greeted(opening, players), seed)
        if store is not None:
            store.add_match(name, table.name, seed, today)
        journal = Memory() if store is None else StoreJournal(store, name)
        finished = await MatchRunner(match, players, journal, key).play()
    finally:
        if store is not None:
            store.close()
    click.echo(match.notation.picture(table.view(finished.truth, "referee")))
    if finished.verdict is not None:
        say("verdict", plain(said(sentence(finished.verdict, [one.name for one in contestants]))))
    if data is not None:
        tell("record %(name)s is kept: arbitre record show %(name)s", name=name)


class Teller(Player):
    """Passes questions on to a player and tells the others, in the open, what was answered."""

    def __init__(self, player: Player, name: str, openly: bool) -> None:
        self.player = player
        self.outside = player.outside
        self.confirms = player.confirms
        self.patience = player.patience
        self.agreeing = player.agreeing
        self.excused = player.excused
        self.name = name
        self.openly = openly and not isinstance(player, Keyboard)

    async def ask(self, position: Position) -> Answer:
        """Pass on the question; tell the answer where it is no secret."""
        answer = await self.player.ask(position)
        if self.openly and not answer.resigns:
            click.echo(f"{self.name}: {plain(answer.text)}")
        return answer

    async def ready(self) -> None:
        """Pass on."""
        await self.player.ready()

    def expire(self) -> bool:
        """Pass on."""
        return self.player.expire()

    def kept(self) -> None:
        """Pass on."""
        self.player.kept()

    def silence(self) -> Reason | None:
        """Pass on."""
        return self.player.silence()

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:
        """Pass on."""
        return await self.player.greet(opening, seat)

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:
        """Pass on."""
        return await self.player.agree(opening)

    async def sign(self, lines: Sequence[str]) -> str | Decline | None:
        """Pass on."""
        return await self.player.sign(lines)

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Pass on."""
        await self.player.sit(opening, seat)

    async def end(self, verdict: Verdict, seat: Seat) -> None:
        """Pass on."""
        await self.player.end(verdict, seat)

    async def leave(self) -> None:
        """Pass on."""
        await self.player.leave()
