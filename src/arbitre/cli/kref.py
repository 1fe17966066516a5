"""`arbitre kref`: the Kriegspiel referee by file, for scripts; every step of a game is a command.

Exit status: 0 for every answer of the referee, `not possible` too; 1 for a wrong password, a file that is bad, old or foreign, or
a step that is not due; 2 for a wrong call.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from arbitre.cli.language import Language, language
from arbitre.cli.options import json_option, read_options
from arbitre.crypto.passwords import HIGH, LIGHT, USUAL
from arbitre.errors import GameStageError, PasswordError
from arbitre.notation.announcements import code, words
from arbitre.notation.kriegspiel import drawing, tray
from arbitre.notation.picture import beside
from arbitre.protocol.ksg import COLOURS
from arbitre.records.heads import replace, state_folder
from arbitre.referee.kref import GameFile, Seated, cells, prove
from arbitre.referee.kref_course import MODES, Mode, Ruling
from arbitre.referee.story import export, sentence, story, tell
from arbitre.rules.game import FIRST, SECOND
from arbitre.rules.kriegspiel import Sight
from arbitre.services.kref import Desk

F = TypeVar("F", bound=Callable[..., Any])

SEATS = {"white": FIRST, "black": SECOND}
HASHING = {"usual": USUAL, "high": HIGH, "light": LIGHT}


class Kref(click.Group):
    """A group that takes a file in the place of a command: `arbitre kref FILE` is `arbitre kref open FILE`."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Look for a file where no command has that name."""
        if args and args[0] not in self.commands and (args[0].endswith(".ksg") or Path(args[0]).exists()):
            args = ["open", *args]
        return super().resolve_command(ctx, args)


@click.group(cls=Kref)
def kref() -> None:
    """The Kriegspiel referee: chess in which each side sees its own pieces only, by file.

    Black calls a game with `new`, White sits down with `white`; whoever is to move tries with `try` and sends the file on by any
    means. Without --password-file the password is asked for; an empty one leaves without moving.
    """


# ── what the commands share ────────────────────────────────────────────────────────────────────────────────────────

file_argument = click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))

password_option = click.option(
    "--password-file",
    metavar="F",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="The password is the first line of F; - is standard input.",
)

seat_option = click.option(
    "--as", "seat", type=click.Choice(list(SEATS)), help="Whose password it is, if it is not to be found out."
)

language_option = click.option(
    "--language", "spoken", type=click.Choice(["en", "fr"]), help="The umpire's language [default: the locale's]."
)

hashing_option = click.option(
    "--hashing", type=click.Choice(list(HASHING)), default="usual", show_default=True, help="How hard guessing the password is."
)

mode_option = click.option(
    "--mode",
    type=click.Choice([*MODES, "server"]),
    default="classic",
    show_default=True,
    help="How tries of a new game are judged.",
)

sealing_option = click.option(
    "--sealing", default="default", show_default=True, metavar="PROVIDER", help="What seals the file of a new game."
)

player_option = click.option("--player", metavar="NAME", help="Your name [default: White or Black].")


def shared(function: F) -> F:
    """Give a command the file, the password, the seat, the language and JSON."""
    for decorate in (json_option, language_option, seat_option, password_option, file_argument):
        function = decorate(function)
    return function


def _password(given: str | None) -> str:
    if given is None:
        word: str = click.prompt("password (empty: leave)", default="", hide_input=True, show_default=False, err=True)
        if not word:
            click.echo("left without moving", err=True)
            raise click.exceptions.Exit(0)
        return word
    with click.open_file(given, encoding="utf-8", errors="surrogateescape") as file:
        word = file.readline().rstrip("\r\n")
    if not word:
        raise PasswordError(f"{given} holds no password on its first line")
    return word


@contextmanager
def _seated(path: Path, password_file: str | None, seat: str | None) -> Iterator[tuple[Desk, Seated]]:
    desk = Desk(path, state_folder())
    if password_file is None:
        desk.read()  # a bad file is named before anybody types a password
    word = _password(password_file)
    with desk.opened() as game:
        yield desk, desk.login(game, word, SEATS[seat] if seat else None)


def _mode(given: str) -> Mode:
    for one in MODES:
        if one == given:
            return one
    raise GameStageError("in the mode server the record stays with the referee and there is no file: play on a site")


def _spoken(given: str | None) -> Language:
    return "fr" if given == "fr" else "en" if given == "en" else language()


# ── what is printed ────────────────────────────────────────────────────────────────────────────────────────────────


def _status(game: GameFile) -> str:
    if game.course is None:
        return "waiting"
    if game.open:
        return "over"
    return "play" if game.verdict is None else "resigned"


def _verdict(game: GameFile) -> str | None:
    return None if game.verdict is None else sentence(game.verdict, [name or "?" for name in game.names])


def _described(seated: Seated, spoken: Language) -> dict[str, object]:
    """Return what a player may know, for programs."""
    game = seated.file
    fields: dict[str, object] = {
        "game": game.game,
        "name": game.call.name,
        "mode": game.call.mode,
        "seat": COLOURS[seated.seat].lower(),
        "players": {"white": game.names[0] or None, "black": game.names[1]},
        "status": _status(game),
        "ply": game.ply,
        "to_move": None if game.mover is None else COLOURS[game.mover].lower(),
        "verdict": _verdict(game),
    }
    if game.course is not None:
        view = seated.view
        plan = game.course.plan
        turns = [*view.past, view.now]
        fields |= {
            "board": tray(view),
            "guesses": seated.guesses,
            "heard": [[code(one) for one in told] for told in turns],
            "words": [[words(one, spoken) for one in told] for told in turns],
            "refused": [move.uci() for move in view.refused] if isinstance(view, Sight) or game.open else [],
            "planned": list(plan[1]) if plan and plan[0] == seated.seat else [],
        }
    return fields


def _show(seated: Seated, spoken: Language) -> None:
    game = seated.file
    click.echo(f"{game.call.name} · {game.names[0] or '?'} – {game.names[1]} · you are {COLOURS[seated.seat]} · ply {game.ply}")
    if game.course is None:
        click.echo("White has not sat down yet: send the file, then arbitre kref white FILE")
        return
    view = seated.view
    heard = [words(one, spoken) for told in (*view.past, view.now)[-4:] for one in told]
    click.echo(beside(drawing(cells(view, seated.guesses), seated.seat), "\n".join(heard[-10:])))
    if isinstance(view, Sight) and view.refused:
        click.echo("refused this turn: " + " ".join(move.uci() for move in view.refused))
    if game.course.plan is not None:
        click.echo("planned: " + " ".join(game.course.plan[1]) + " (send the file: the other program adjudicates)")
    if game.verdict is not None:
        click.echo(_verdict(game))
        if not game.open:
            mine = seated.seat in game.affairs.unacknowledged
            click.echo("arbitre kref acknowledge FILE opens the board" if mine else "the board opens in the file that comes back")


def _answer(ruling: Ruling, spoken: Language) -> str:
    return f"{ruling.text}: {'. '.join(words(one, spoken) for one in ruling.said) or 'the game is over'}"


def _finish(seated: Seated, spoken: Language, as_json: bool, line: str) -> None:
    if as_json:
        click.echo(json.dumps(_described(seated, spoken), ensure_ascii=False))
    else:
        click.echo(line)


# ── the commands ───────────────────────────────────────────────────────────────────────────────────────────────────


@kref.command()
@file_argument
@password_option
@player_option
@click.option("--name", help="The game's name [default: the file's].")
@mode_option
@sealing_option
@click.option("--option", "pairs", multiple=True, metavar="KEY=VALUE", help="An option of the rules: arbitre games kriegspiel.")
@hashing_option
@language_option
@json_option
def new(
    path: Path,
    password_file: str | None,
    player: str | None,
    name: str | None,
    mode: str,
    sealing: str,
    pairs: tuple[str, ...],
    hashing: str,
    spoken: str | None,
    as_json: bool,
) -> None:
    """Call a game as Black, in the new FILE."""
    chosen = _mode(mode)
    desk = Desk(path, state_folder())
    word = _password(password_file)
    seated = desk.call(name or path.stem, player or "Black", word, sealing, chosen, read_options(pairs), HASHING[hashing])
    if sealing == "simulation":
        click.echo("arbitre: hint: the provider simulation hides nothing; it is for tests", err=True)
    _finish(seated, _spoken(spoken), as_json, f"{path} is called: send it to White, who says arbitre kref white {path.name}")


@kref.command()
@file_argument
@password_option
@player_option
@hashing_option
@language_option
@json_option
def white(path: Path, password_file: str | None, player: str | None, hashing: str, spoken: str | None, as_json: bool) -> None:
    """Sit down as White, with a password of your own."""
    desk = Desk(path, state_folder())
    if password_file is None:
        desk.read()
    word = _password(password_file)
    with desk.opened() as game:
        seated = desk.join(game, player or "White", word, HASHING[hashing])
    _finish(seated, _spoken(spoken), as_json, f"you are White: arbitre kref try {path.name} e2e4")


@kref.command()
@shared
def show(path: Path, password_file: str | None, seat: str | None, spoken: str | None, as_json: bool) -> None:
    """Show your board, your guesses and what the umpire said."""
    with _seated(path, password_file, seat) as (_, seated):
        if as_json:
            click.echo(json.dumps(_described(seated, _spoken(spoken)), ensure_ascii=False))
        else:
            _show(seated, _spoken(spoken))


@kref.command(name="try")
@shared
@click.argument("tries", nargs=-1, required=True, metavar="TRY…")
def try_(
    path: Path, password_file: str | None, seat: str | None, spoken: str | None, as_json: bool, tries: tuple[str, ...]
) -> None:
    """Try moves in turn, like e2e4 or e7e8q, until one is made; each is recorded before it is answered.

    With planned tries all are signed at once, and the other player's program adjudicates them.
    """
    tongue = _spoken(spoken)
    with _seated(path, password_file, seat) as (desk, player):
        seated = player
        if player.file.call.mode == "planned":
            seated = player.plan(tries)
            desk.save(seated)
            _finish(seated, tongue, as_json, "planned: send the file, the other player's program adjudicates")
            return
        rulings = []
        for text in tries:
            seated, ruling = seated.attempt(text)
            desk.save(seated)
            rulings.append(ruling)
            if not as_json:
                click.echo(_answer(ruling, tongue))
            if ruling.made:
                break
    if as_json:
        answers = [
            {
                "try": one.text,
                "made": one.made,
                "heard": [code(said) for said in one.said],
                "words": [words(said, tongue) for said in one.said],
            }
            for one in rulings
        ]
        click.echo(json.dumps({"rulings": answers, **_described(seated, tongue)}, ensure_ascii=False))
    elif seated.file.verdict is not None:
        click.echo(_verdict(seated.file))


@kref.command()
@shared
@click.argument("squares", nargs=-1, metavar="SQUARE=PIECE…")
@click.option("--clear", is_flag=True, help="Take all guesses away first.")
def guess(
    path: Path,
    password_file: str | None,
    seat: str | None,
    spoken: str | None,
    as_json: bool,
    squares: tuple[str, ...],
    clear: bool,
) -> None:
    """Place guessed pieces of the other side, like e5=q; e5= takes one away. They do not count, and only you see them."""
    placed = dict.fromkeys(_all_squares(), "") if clear else {}
    for pair in squares:
        square, equals, piece = pair.partition("=")
        if not equals:
            raise click.UsageError(f"a guess is written SQUARE=PIECE, like e5=q, not {pair!r}")
        placed[square.lower()] = piece
    with _seated(path, password_file, seat) as (desk, player):
        seated = player.guess(placed)
        desk.save(seated)
        if as_json:
            click.echo(json.dumps(_described(seated, _spoken(spoken)), ensure_ascii=False))
        else:
            _show(seated, _spoken(spoken))


def _all_squares() -> Iterator[str]:
    return (f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")


@kref.command()
@shared
def resign(path: Path, password_file: str | None, seat: str | None, spoken: str | None, as_json: bool) -> None:
    """Give up. You see the board only in the file that comes back acknowledged."""
    with _seated(path, password_file, seat) as (desk, player):
        seated = player.resign()
        desk.save(seated)
    _finish(seated, _spoken(spoken), as_json, "resigned: send the file; the board opens in the one that comes back")


@kref.command()
@shared
@click.option("--yes", is_flag=True, help="I know that this forfeits the game.")
def accuse(path: Path, password_file: str | None, seat: str | None, spoken: str | None, as_json: bool, yes: bool) -> None:
    """Accuse the referee of a mistake. This forfeits the game; the record then proves who was right."""
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("accusing the referee forfeits the game: say --yes if you mean it")
        click.confirm("Accusing the referee forfeits the game (it may have been en passant). Accuse?", abort=True, err=True)
    with _seated(path, password_file, seat) as (desk, player):
        seated = player.resign(accuse=True)
        desk.save(seated)
    _finish(seated, _spoken(spoken), as_json, "forfeited: once it is acknowledged, arbitre kref verify FILE judges the referee")


@kref.command()
@shared
def acknowledge(path: Path, password_file: str | None, seat: str | None, spoken: str | None, as_json: bool) -> None:
    """Acknowledge the other player's resignation, which opens the board to both."""
    with _seated(path, password_file, seat) as (desk, player):
        seated = player.acknowledge()
        desk.save(seated)
    if as_json:
        click.echo(json.dumps(_described(seated, _spoken(spoken)), ensure_ascii=False))
    else:
        _show(seated, _spoken(spoken))
        click.echo("send the file back, so that the other player sees the board too")


@kref.command()
@shared
@click.option("--boards", is_flag=True, help="Draw the board after every try: the truth, and what each side saw.")
@click.option("--pgn", is_flag=True, help="Print PGN for chess programs.")
@click.option("--record", "out", type=click.Path(path_type=Path), help="Write the record, which `arbitre verify` checks.")
def replay(
    path: Path,
    password_file: str | None,
    seat: str | None,
    spoken: str | None,
    as_json: bool,
    boards: bool,
    pgn: bool,
    out: Path | None,
) -> None:
    """Tell a finished game again, step by step."""
    with _seated(path, password_file, seat) as (_, seated):
        game = seated.file
        record = game.record()
        if out is not None:
            replace(out, record.text())
    if as_json or pgn:
        click.echo(export(record, "json" if as_json else "pgn"), nl=False)
    elif boards:
        _boards(game, _spoken(spoken))
    else:
        for line in story(tell(record)):
            click.echo(line)


def _boards(game: GameFile, spoken: Language) -> None:
    told = tell(game.record())
    rules = told.match.game
    for step in (None, *told.moments):
        truth = (step.affairs if step else told.start).truth
        if step is not None:
            click.echo(f"{step.event.turn}  {COLOURS[step.event.seat]}: {step.event.text or step.event.kind.value}")
        views = [rules.view(truth, FIRST), truth, rules.view(truth, SECOND)]
        click.echo(beside(*(drawing(tray(view), FIRST) for view in views), gap=2))
        click.echo(". ".join(words(one, spoken) for one in truth.now) + "\n")
    click.echo(_verdict(game))


@kref.command()
@shared
def verify(path: Path, password_file: str | None, seat: str | None, spoken: str | None, as_json: bool) -> None:  # noqa: ARG001
    """Check a file: seal, chain, signatures, every ruling; a finished game is judged again by python-chess.

    No password is needed: nothing is told that both players do not know.
    """
    desk = Desk(path, state_folder())
    if password_file is not None:
        with desk.opened() as game:
            desk.login(game, _password(password_file), SEATS[seat] if seat else None)
    game = desk.read()
    proof = prove(game) if game.open else None
    if as_json:
        fields = {"game": game.game, "name": game.call.name, "status": _status(game), "ply": game.ply, "verdict": _verdict(game)}
        proven = None if proof is None else {"tries": proof.tries, "refused": proof.refused}
        click.echo(json.dumps({**fields, "proven": proven}, ensure_ascii=False))
        return
    click.echo(f"intact: {game.call.name}, {game.names[0] or '?'} – {game.names[1]}, ply {game.ply}, {_status(game)}")
    if proof is not None:
        click.echo(f"the referee was right: {proof.tries} rulings, {proof.refused} of them refusals, all confirmed")
        click.echo(_verdict(game))


@kref.command(name="open", hidden=True)
@file_argument
@mode_option
@sealing_option
@hashing_option
@language_option
def open_(path: Path, mode: str, sealing: str, hashing: str, spoken: str | None) -> None:
    """Open FILE in the terminal program; a FILE that does not exist is called as Black."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("the terminal program needs a terminal; scripts say arbitre kref show FILE")
    from arbitre.tui.kref import Parlour  # noqa: PLC0415 - slow to import, and no script needs it

    desk = Desk(path, state_folder())
    if path.exists():
        desk.read()  # what is wrong with a file is said where it can be read and copied
    if left := Parlour(desk, _spoken(spoken), HASHING[hashing], _mode(mode), sealing).run():
        click.echo(left)
