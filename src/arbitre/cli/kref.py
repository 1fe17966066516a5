"""`arbitre kref`: the Kriegspiel referee by file, for scripts; every step of a game is a command.

Everything is said in English or French, as the environment or `--language` says; the words stand in `tui.kref_words`.

Exit status: 0 for every answer of the referee, `not possible` too; 1 for a wrong password, a file that is bad, old or foreign, or
a step that is not due, or a site that cannot be reached; 2 for a wrong call.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import click

from arbitre.cli.language import Language, language
from arbitre.cli.options import json_option, read_options
from arbitre.cli.speech import MisuseError
from arbitre.crypto.passwords import HIGH, LIGHT, USUAL
from arbitre.errors import ArbitreError, GameFileError, GameStageError, PasswordError, SiteError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.kriegspiel.announcements import code, words
from arbitre.games.kriegspiel.notation import AGREE, drawing, tray
from arbitre.games.kriegspiel.pgn import export as write
from arbitre.games.kriegspiel.rules import Sight
from arbitre.games.picture import beside
from arbitre.kref.course import MODES, Mode, Ruling
from arbitre.kref.desk import Desk
from arbitre.kref.file import COLOURS
from arbitre.kref.game import GameFile, Seated, cells
from arbitre.kref.log import LogLine
from arbitre.kref.proof import prove
from arbitre.kref.sites import SiteGame
from arbitre.kref.standing import Player, Standing
from arbitre.records.heads import Heads, replace, state_folder
from arbitre.referee.story import export, finished, tell
from arbitre.tui.kref_words import log_words, said, side_words, step_words, verdict_words, word
from arbitre.values import value

P = ParamSpec("P")

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
    "--language",
    "spoken",
    type=click.Choice(["en", "fr"]),
    callback=lambda _ctx, _param, given: given or language(),
    help="The language of umpire and program [default: the locale's].",
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
    "--sealing",
    default="default",
    show_default=True,
    metavar="PROVIDER",
    help="What seals the file of a new game; site:URL lets a site judge it.",
)

player_option = click.option("--player", metavar="NAME", help="Your name [default: White or Black].")


@value
class Asked:
    """What most commands are given: the file, the password, the seat, the language and JSON."""

    path: Path
    password_file: str | None
    seat: str | None
    spoken: Language
    as_json: bool

    @contextmanager
    def seated(self) -> Iterator[tuple[Desk, Player]]:
        """Open the file as the player whose password it is."""
        desk = Desk(self.path, state_folder())
        if self.password_file is None:
            desk.read()  # a bad file is named before anybody types a password
        secret = _password(self.password_file)
        with desk.opened() as game:
            yield desk, desk.login(game, secret, SEATS[self.seat] if self.seat else None)

    def shown(self, seated: Player) -> None:
        """Print what the player may know."""
        if self.as_json:
            click.echo(json.dumps(_described(seated, self.spoken), ensure_ascii=False))
        else:
            _show(seated, self.spoken)


def shared(function: Callable[Concatenate[Asked, P], None]) -> Callable[..., None]:
    """Give a command what most are given, as one value."""

    @wraps(function)
    def called(  # click gives everything by name
        path: Path, password_file: str | None, seat: str | None, spoken: Language, as_json: bool, *args: P.args, **more: P.kwargs
    ) -> None:
        function(Asked(path, password_file, seat, spoken, as_json), *args, **more)

    decorated: Callable[..., None] = called
    for decorate in (json_option, language_option, seat_option, password_option, file_argument):
        decorated = decorate(decorated)
    return decorated


def _password(given: str | None, fresh: bool = False) -> str:
    """Return the password of a file, or one that is typed: twice where it is a new one, for a slip would lock its owner out."""
    if given is None:
        return _typed(language(), fresh)
    with click.open_file(given, encoding="utf-8", errors="surrogateescape") as file:
        found: str = file.readline().rstrip("\r\n")
    if not found:
        raise PasswordError("%(given)s holds no password on its first line", given=given)
    return found


def _typed(spoken: Language, fresh: bool) -> str:
    def ask(key: str) -> str:
        typed: str = click.prompt(word(key, spoken), default="", hide_input=True, show_default=False, err=True)
        return typed

    while True:
        first = ask("prompt")
        if not first:
            click.echo(word("left without", spoken), err=True)
            raise click.exceptions.Exit(0)
        if not fresh or ask("again") == first:
            return first
        click.echo(word("differ", spoken), err=True)


def _mode(given: str) -> Mode:
    for one in MODES:
        if one == given:
            return one
    raise GameStageError("in the mode server the record stays with the referee and there is no file: play on a site")


# ── what is printed ────────────────────────────────────────────────────────────────────────────────────────────────


def _verdict(game: Standing, spoken: Language) -> str | None:
    return None if game.verdict is None else verdict_words(game.verdict, game.names, spoken)


def _described(seated: Player, spoken: Language) -> dict[str, object]:
    """Return what a player may know, for programs."""
    game = seated.standing
    fields: dict[str, object] = {
        "game": game.game,
        "name": game.name,
        "mode": game.mode,
        "site": game.site or None,
        "seat": COLOURS[seated.seat].lower(),
        "players": {"white": game.names[0] or None, "black": game.names[1]},
        "status": game.status,
        "ply": game.ply,
        "to_move": None if game.mover is None else COLOURS[game.mover].lower(),
        "verdict": _verdict(game, spoken),
    }
    if (view := game.view) is not None:
        turns = [*view.past, view.now]
        fields |= {
            "board": tray(view),
            "guesses": seated.guesses,
            "heard": [[code(one) for one in told] for told in turns],
            "words": [[words(one, spoken) for one in told] for told in turns],
            "refused": [move.uci() for move in view.refused] if isinstance(view, Sight) or game.open else [],
            "planned": list(game.plan),
            "log": [_line(one, spoken) for one in game.log],
        }
    return fields


def _line(line: LogLine, spoken: Language) -> dict[str, object]:
    """Return a line of the log, for programs: a turn that begins, or a try of it, as far as the player knows it."""
    return {
        "turn": line.turn,
        "side": COLOURS[line.seat].lower(),
        "begins": line.begins,
        "try": line.tried or None,
        "made": line.made,
        "heard": [code(one) for one in line.said],
        "words": [words(one, spoken) for one in line.said],
        "square": line.square or None,
    }


def _show(seated: Player, spoken: Language) -> None:
    game, seat = seated.standing, seated.seat
    fields = {"game": game.name, "white": game.names[0] or "?", "black": game.names[1], "ply": game.ply}
    click.echo(word("head", spoken, **fields, side=side_words(seat, spoken)))
    if game.view is None:
        click.echo(word("not seated", spoken))
        return
    click.echo(drawing(cells(game.view, seated.guesses), seat))
    for line in log_words(game.log, spoken):
        click.echo(line)
    if game.plan:
        click.echo(word("waiting plan", spoken, tries=" ".join(game.plan)))
    if game.verdict is not None:
        click.echo(_verdict(game, spoken))
        if not game.open:
            click.echo(word("opens" if seat in game.unacknowledged else "opens later", spoken))


def _answer(ruling: Ruling, spoken: Language) -> str:
    return f"{ruling.text}: {'. '.join(words(one, spoken) for one in ruling.said) or word('over', spoken)}"


def _finish(seated: Player, spoken: Language, as_json: bool, line: str) -> None:
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
    spoken: Language,
    as_json: bool,
) -> None:
    """Call a game as Black, in the new FILE."""
    chosen = _mode(mode)
    desk = Desk(path, state_folder())
    if path.exists():
        raise GameFileError("%(path)s exists: choose another name", path=path)  # before anybody types a password
    secret = _password(password_file, fresh=True)
    called = player or side_words(SECOND, spoken)
    seated = desk.call(name or path.stem, called, secret, sealing, chosen, read_options(pairs), HASHING[hashing])
    if sealing == "simulation":
        click.echo(word("hint", spoken, text=word("hides nothing", spoken)), err=True)
    _tell_site(seated.standing, spoken)
    _finish(seated, spoken, as_json, word("called", spoken, path=path, name=path.name))


@kref.command()
@file_argument
@password_option
@player_option
@hashing_option
@language_option
@json_option
def white(path: Path, password_file: str | None, player: str | None, hashing: str, spoken: Language, as_json: bool) -> None:
    """Sit down as White, with a password of your own."""
    desk = Desk(path, state_folder())
    if password_file is None:
        desk.read()
    secret = _password(password_file, fresh=True)
    with desk.opened() as game:
        seated = desk.join(game, player or side_words(FIRST, spoken), secret, HASHING[hashing])
    _tell_site(seated.standing, spoken)
    _finish(seated, spoken, as_json, word("you are white", spoken, name=path.name))


def _tell_site(game: Standing, spoken: Language) -> None:
    """Say which site judges: whoever sits down trusts it with the board."""
    if game.site:
        click.echo(word("hint", spoken, text=word("site judges", spoken, site=game.site)), err=True)


@kref.command()
@shared
def show(asked: Asked) -> None:
    """Show your board, your guesses and what the umpire said."""
    with asked.seated() as (_, seated):
        asked.shown(seated)


@kref.command(name="try")
@shared
@click.argument("tries", nargs=-1, required=True, metavar="TRY…")
def try_(asked: Asked, tries: tuple[str, ...]) -> None:
    """Try moves in turn, like e2e4 or e7e8q, until one is made; each is recorded before it is answered.

    With planned tries all are signed at once, and the other player's program adjudicates them. The try `draw` offers a draw, or
    accepts the one that was offered; a move declines it.
    """
    _try(asked, tries)


def _try(asked: Asked, tries: tuple[str, ...]) -> None:
    tongue, as_json = asked.spoken, asked.as_json
    with asked.seated() as (desk, player):
        seated = player
        if player.standing.mode == "planned":
            seated = player.plan(tries)
            desk.save(seated)
            _finish(seated, tongue, as_json, word("plan signed", tongue))
            return
        rulings = []
        for text in tries:
            seated, ruling = seated.attempt(text)
            desk.save(seated)
            rulings.append(ruling)
            if not as_json:
                click.echo(_answer(ruling, tongue))
            if ruling.made or seated.standing.verdict is not None:
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
    elif seated.standing.verdict is not None:
        click.echo(_verdict(seated.standing, tongue))


@kref.command()
@shared
def draw(asked: Asked) -> None:
    """Offer a draw in your turn, before your move, or accept the one that was offered; a move declines. Both players hear it."""
    _try(asked, (AGREE,))


@kref.command()
@shared
@click.argument("squares", nargs=-1, metavar="SQUARE=PIECE…")
@click.option("--clear", is_flag=True, help="Take all guesses away first.")
def guess(asked: Asked, squares: tuple[str, ...], clear: bool) -> None:
    """Place guessed pieces of the other side, like e5=q; e5= takes one away. They do not count, and only you see them."""
    placed = dict.fromkeys(_all_squares(), "") if clear else {}
    for pair in squares:
        square, equals, piece = pair.partition("=")
        if not equals:
            raise MisuseError("a guess is written SQUARE=PIECE, like e5=q, not %(pair)r", pair=pair)
        placed[square.lower()] = piece
    with asked.seated() as (desk, player):
        seated = player.guess(placed)
        desk.save(seated)
        asked.shown(seated)


def _all_squares() -> Iterator[str]:
    return (f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")


@kref.command()
@shared
def resign(asked: Asked) -> None:
    """Give up. You see the board only in the file that comes back acknowledged."""
    with asked.seated() as (desk, player):
        seated = player.resign()
        desk.save(seated)
    _finish(seated, asked.spoken, asked.as_json, word("gave up", asked.spoken))


@kref.command()
@shared
@click.option("--yes", is_flag=True, help="I know that this forfeits the game.")
def accuse(asked: Asked, yes: bool) -> None:
    """Accuse the referee of a mistake. This forfeits the game; the record then proves who was right."""
    if not yes:
        if not sys.stdin.isatty():
            raise MisuseError("accusing the referee forfeits the game: say --yes if you mean it")
        click.confirm(word("accuse", asked.spoken), abort=True, err=True)
    with asked.seated() as (desk, player):
        seated = player.resign(accuse=True)
        desk.save(seated)
    _finish(seated, asked.spoken, asked.as_json, word("forfeited", asked.spoken))


@kref.command()
@shared
def acknowledge(asked: Asked) -> None:
    """Acknowledge the other player's resignation, which opens the board to both."""
    with asked.seated() as (desk, player):
        seated = player.acknowledge()
        desk.save(seated)
    asked.shown(seated)
    if not asked.as_json:
        click.echo(word("send back", asked.spoken))


@kref.command()
@shared
@click.option("--boards", is_flag=True, help="Draw the board after every try: the truth, and what each side saw.")
@click.option("--pgn", is_flag=True, help="Print PGN for chess programs.")
@click.option("--record", "out", type=click.Path(path_type=Path), help="Write the record, which `arbitre verify` checks.")
def replay(asked: Asked, boards: bool, pgn: bool, out: Path | None) -> None:
    """Tell a finished game again, step by step."""
    with asked.seated() as (_, seated):
        game, standing = _finished(seated), seated.standing
        record = game.record()
        if out is not None:
            replace(out, record.text())
    tongue = asked.spoken
    if asked.as_json:
        click.echo(export(record, "json"), nl=False)
    elif pgn:
        click.echo(write(finished(tell(record)), tongue, _verdict(standing, tongue) or ""), nl=False)
    elif boards:
        _boards(game, tongue)
    else:
        click.echo(f"{standing.name} · {standing.names[0]} – {standing.names[1]} · {standing.date}")
        for line in log_words(standing.log, tongue):
            click.echo(line)
        click.echo(_verdict(standing, tongue))


def _finished(seated: Player) -> GameFile:
    """Return the file of a finished game; one that a site judges is opened here when it is over, and not before."""
    if isinstance(seated, Seated):
        return seated.file
    raise GameStageError("the game is not over, and its secrets are closed")


def _boards(game: GameFile, spoken: Language) -> None:
    told = tell(game.record())
    rules = told.match.game
    for step in (None, *told.moments):
        truth = (step.affairs if step else told.start).truth
        if step is not None:
            click.echo(f"{step.event.turn}  {step_words(step.event, spoken)}")
        views = [rules.view(truth, FIRST), truth, rules.view(truth, SECOND)]
        click.echo(beside(*(drawing(tray(view), FIRST) for view in views), gap=2))
        click.echo(". ".join(words(one, spoken) for one in truth.now) + "\n")
    click.echo(_verdict(game.standing(), spoken))


@kref.command()
@shared
def verify(asked: Asked) -> None:
    """Check a file: seal, chain, signatures, every ruling; a finished game is judged again by python-chess.

    No password is needed: nothing is told that both players do not know.
    """
    if asked.password_file is not None:
        with asked.seated():
            pass
    read = Desk(asked.path, state_folder()).read()
    proof = prove(read) if isinstance(read, GameFile) and read.open else None
    game, tongue = read.standing(), asked.spoken
    if asked.as_json:
        fields = {
            "game": game.game,
            "name": game.name,
            "status": game.status,
            "ply": game.ply,
            "verdict": _verdict(game, tongue),
        }
        proven = None if proof is None else {"tries": proof.tries, "refused": proof.refused}
        click.echo(json.dumps({**fields, "proven": proven}, ensure_ascii=False))
        return
    status = word(f"status {game.status}", tongue)
    names = {"white": game.names[0] or "?", "black": game.names[1]}
    click.echo(word("intact", tongue, game=game.name, **names, ply=game.ply, status=status))
    if isinstance(read, SiteGame):
        click.echo(word("site's word", tongue, site=game.site))
    if proof is not None:
        click.echo(word("right", tongue, tries=proof.tries, refused=proof.refused))
        click.echo(_verdict(game, tongue))


@kref.command(name="list")
@language_option
@json_option
def list_(spoken: Language, as_json: bool) -> None:
    """List the games that were opened on this machine, the last one first, and who is to move. No password is needed."""
    games = [_listed(path, spoken) for path in Heads(state_folder()).paths()]
    if as_json:
        click.echo(json.dumps(games, ensure_ascii=False))
        return
    for one in games:
        click.echo(f"{one['file']}: {one['words']}")
    if not games:
        click.echo(word("no games", spoken), err=True)


def _listed(path: Path, spoken: Language) -> dict[str, object]:
    """Return what both players of a game know of it, or why the file cannot be read."""
    if not path.exists():
        return {"file": str(path), "status": "missing", "words": word("missing", spoken)}
    try:
        game = Desk(path, state_folder()).read().standing()
    except SiteError as error:
        return {"file": str(path), "status": "unreached", "words": said(error, spoken)}
    except ArbitreError as error:
        return {"file": str(path), "status": "bad", "words": said(error, spoken)}
    status = game.status
    mover = None if game.mover is None else COLOURS[game.mover].lower()
    stands = _verdict(game, spoken) or word(f"status {status}", spoken)
    if game.mover is not None:
        stands = word("to move", spoken, side=side_words(game.mover, spoken))
    players = f"{game.names[0] or '?'} – {game.names[1]}"
    fields: dict[str, object] = {"file": str(path), "name": game.name, "date": game.date, "status": status}
    fields |= {"players": {"white": game.names[0] or None, "black": game.names[1]}, "ply": game.ply, "to_move": mover}
    return {**fields, "words": f"{game.name} · {players} · {game.date} · {stands}"}


@kref.command(name="open", hidden=True)
@file_argument
@mode_option
@sealing_option
@hashing_option
@language_option
def open_(path: Path, mode: str, sealing: str, hashing: str, spoken: Language) -> None:
    """Open FILE in the terminal program; a FILE that does not exist is called as Black."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise MisuseError("the terminal program needs a terminal; scripts say arbitre kref show FILE")
    from arbitre.tui.kref import Parlour  # noqa: PLC0415 - slow to import, and no script needs it

    desk = Desk(path, state_folder())
    if path.exists():
        desk.read()  # what is wrong with a file is said where it can be read and copied
    if left := Parlour(desk, spoken, HASHING[hashing], _mode(mode), sealing).run():
        click.echo(left)
