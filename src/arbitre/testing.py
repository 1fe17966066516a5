"""Holds a game to the contract: `conform(LISTING)` returns, or raises `ConformanceError` and says what is broken, and where.

One line of a package's tests is enough, with any test runner or none: `def test_hex() -> None: conform(LISTING)`. Games of random
moves are played, from fixed seeds, so that what fails once fails again. The house holds its own games to the same checks.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from random import Random
from re import fullmatch
from typing import Any

from arbitre.errors import (
    AmbiguousMoveError,
    ArbitreError,
    ConformanceError,
    IllegalMoveError,
    InvalidMoveError,
    MoveError,
    OpenSetError,
    OptionError,
    PositionError,
)
from arbitre.games.catalogue import Listing, fetch, folder, listing, options_of
from arbitre.games.game import AnyGame, Awaits, Chance, Eye, Outcome, Seat, Step, playout
from arbitre.games.grammar import grammar_of
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.games.positions import last_of, presets_of, seats_to_move
from arbitre.games.wire import INIT, Received
from arbitre.games.wires import screen_of, unspeakable
from arbitre.reasons import LANGUAGES, Reason

Resample = Callable[[Any, Any, Eye, Random], Any]
"""Given a game, a state, an eye and a source of luck: another state, which looks the same to that eye."""

LONGEST = 20_000
"""A game that needs more transitions than this does not end."""
TEXTS = 300
"""How many bad texts are read."""
HUGE = ("9" * 5_000, "1" * 100_000, "-" * 5_000, "\0", "١٢", "")
REFUSED = (InvalidMoveError, AmbiguousMoveError, PositionError)


class Case:
    """One game with its options, and some games of random moves."""

    def __init__(self, table: AnyGame, resample: Resample | None = None) -> None:
        self.game = table
        self.listing = listing(table.name)
        self.text = notation_of(table)
        self.resample = resample
        self.eyes: list[Eye] = [*(Seat(n) for n in range(table.seats)), "spectator", "referee"]

    @cached_property
    def steps(self) -> list[Step[Any, Any]]:
        """One whole game."""
        return self.walk(1)

    def walk(self, seed: int) -> list[Step[Any, Any]]:
        """Play one game of random moves to its end."""
        steps: list[Step[Any, Any]] = []
        for step in playout(self.game, Random(seed)):
            self.need(len(steps) < LONGEST, f"the game does not end: {LONGEST} transitions were played")
            steps.append(step)
        self.need(bool(steps), "the game is over before it begins")
        return steps

    def some(self, samples: int = 40) -> list[Step[Any, Any]]:
        """Return some steps of a game, the last one among them."""
        stride = max(1, len(self.steps) // samples)
        return self.steps[:-1:stride] + self.steps[-1:]

    def asked(self, samples: int = 40) -> Iterator[tuple[Any, Awaits, Seat, Any]]:
        """Return states in which somebody is to move, with the phase, the seat and what it sees."""
        for step in self.some(samples):
            phase = self.game.phase(step.before)
            if isinstance(phase, Awaits):
                yield from ((step.before, phase, seat, self.game.view(step.before, seat)) for seat in sorted(phase.seats))

    def need(self, ok: bool, why: str) -> None:
        """Raise unless `ok`."""
        if not ok:
            options = " ".join(f"{key}={given}" for key, given in options_of(self.game).items())
            raise ConformanceError(
                "%(name)s%(options)s: %(why)s", name=self.game.name, options=options and f" with {options}", why=why
            )

    def refuses(self, kinds: tuple[type[Exception], ...], why: str, work: Callable[..., object], *given: Any) -> str:
        """Return what the error says that `work` must raise; `why` is what is wrong where it raises none."""
        try:
            work(*given)
        except kinds as error:
            self.declares(error)
            return str(error)
        self.need(False, why)
        return ""

    def declares(self, why: object) -> None:
        """Need the code of an outcome, or of a refused move, to be declared, with a place for no other fields than it has."""
        reason = why.why if isinstance(why, MoveError) else why
        if not isinstance(reason, Reason):
            return  # a position that cannot be read enters no record
        self.need(reason.proper, f"the code {reason.code!r} is not declared: declare({{{reason.code!r}: (ENGLISH, FRENCH)}})")
        for language in LANGUAGES:
            template = reason.template(language) or ""
            try:
                fits = bool(template % reason.fields if reason.fields else template)
            except (KeyError, TypeError, ValueError):
                fits = False
            fields = ", ".join(sorted(reason.fields)) or "none"
            self.need(fits, f"the {language} words of {reason.code!r} do not fit its fields ({fields}): {template!r}")


def ends(case: Case) -> None:
    """Games end, and scores fit the seats."""
    for seed in range(3):
        end = case.game.phase(case.walk(seed)[-1].after)
        assert isinstance(end, Outcome)  # noqa: S101 - for the type checker: a playout ends nowhere else
        sides = case.game.seats - len(case.game.neutral)
        case.need(len(end.scores) == sides, f"{sides} players have {len(end.scores)} scores")
        case.need(all(type(one) is Fraction and 0 <= one <= 1 for one in end.scores), "a score is a Fraction from 0 to 1")
        case.need(sum(end.scores) == 1, f"scores add up to 1, not to {sum(end.scores)}")
        case.need(len(end.tally) in (0, sides), "a tally has a number for each player, or none")
        case.declares(end.reason)


def phases(case: Case) -> None:
    """Phases are the same when asked twice, and turns never go back."""
    turn = 1
    for step in case.steps:
        phase = case.game.phase(step.before)
        case.need(phase == case.game.phase(step.before), "phase gives two answers for one state")
        if isinstance(phase, Chance):
            case.need(phase.below >= 1, "a chance has at least one outcome")
        elif isinstance(phase, Awaits):
            case.need(bool(phase.seats), "somebody is awaited")
            case.need(all(0 <= seat < case.game.seats for seat in phase.seats), f"there is no such seat: {phase.seats}")
            case.need(phase.turn >= turn, f"turns never go back: {phase.turn} after {turn}")
            turn = phase.turn


def moves(case: Case) -> None:
    """Every legal move plays, and every other one is refused."""
    game, random = case.game, Random(5)
    pool = [move for step in case.steps for move in step.moves.values()]
    for state, phase, seat, view in case.asked():
        try:
            legal = list(game.legal(view))
        except OpenSetError:
            game.check(view, game.sample(view, random))
            continue
        case.need(bool(legal), f"seat {seat} is awaited in turn {phase.turn} and has no legal move")
        case.need(len(set(legal)) == len(legal), f"legal lists a move twice in turn {phase.turn}")
        case.need(legal == list(game.legal(view)), "legal lists the moves in another order the second time")
        case.need(game.sample(view, random) in legal, "sample chooses a move that is not legal")
        for move in random.sample(legal, min(8, len(legal))):
            game.check(view, move)
            others = {one: game.sample(game.view(state, one), random) for one in phase.seats - {seat}}
            game.phase(game.play(state, {seat: move, **others}))
        for move in random.sample(pool, min(20, len(pool))):
            if move not in legal:
                case.refuses((IllegalMoveError,), f"check lets {move!r} pass, legal does not", game.check, view, move)


def after(case: Case) -> None:
    """After the end no move is legal."""
    for seat, move in case.steps[-1].moves.items():
        view = case.game.view(case.steps[-1].after, seat)
        case.need(not list(case.game.legal(view)), "legal lists moves after the end")
        case.refuses((IllegalMoveError,), "check lets a move pass after the end", case.game.check, view, move)


def pure(case: Case) -> None:
    """The same arguments give the same state, and no state changes."""
    game = case.game
    for step in case.some():
        before = case.text.write_state(step.before)
        again = game.draw(step.before, step.drawn) if step.drawn is not None else game.play(step.before, step.moves)
        case.need(again == step.after, "the same moves give another state the second time")
        for eye in case.eyes:
            game.view(step.before, eye)
        case.need(case.text.write_state(step.before) == before, "a state has changed")
        case.need(pickle.loads(pickle.dumps(step.before)) == step.before, "a state is not the same after pickling")  # noqa: S301


def texts(case: Case) -> None:
    """What is written reads back the same, and is written again the same."""
    text = case.text
    for step in case.some():
        for state in (step.before, step.after):
            line = text.write_state(state)
            case.need(line.isprintable() and text.read_state(line) == state, f"a state does not read back: {line!r}")
            for eye in case.eyes:
                view = case.game.view(state, eye)
                seen = text.write_view(view)
                case.need(
                    seen.isprintable() and text.read_view(seen) == view, f"the view of {eye!r} does not read back: {seen!r}"
                )
        for seat, move in step.moves.items():
            said, view = text.write(move), case.game.view(step.before, seat)
            case.need(said.isprintable() and text.read(said, view) == move, f"a move does not read back: {said!r}")
            case.need(text.read(f" {said} ", view) == move, f"spaces around a move are refused: {said!r}")
            case.need(text.write(text.read(f" {said} ", view)) == said, f"a move has two canonical texts: {said!r} is one")


def pictures(case: Case) -> None:
    """Pictures fit a terminal."""
    for step in case.some(20):
        for eye in case.eyes:
            lines = case.text.picture(case.game.view(step.after, eye)).split("\n")
            fits = all(len(line) <= 79 and line == line.rstrip() and line.isprintable() for line in lines)
            case.need(len(lines) <= 22 and fits, "a picture has at most 22 lines of 79 characters, without spaces at their ends")


def secrets(case: Case) -> None:
    """No eye learns a secret: what it cannot see is drawn anew, and it sees the same."""
    game, random, changed = case.game, Random(9), 0
    differs = any(game.view(step.before, "spectator") != step.before for step in case.steps)
    case.need(game.hides == differs, f"hides is {game.hides}, and a spectator sees {'less than' if differs else ''} everything")
    if not game.hides:
        return
    case.need(case.resample is not None, "a game with secrets is given a function `resample`, so that they can be drawn anew")
    assert case.resample is not None  # noqa: S101 - for the type checker
    for step in case.some():
        for eye in case.eyes[:-1]:
            another = case.resample(game, step.before, eye, random)
            changed += another != step.before
            case.need(game.view(another, eye) == game.view(step.before, eye), f"{eye!r} can tell two truths apart")
            case.need(_expects(game, another) == _expects(game, step.before), f"{eye!r} can tell two truths apart by the phase")
    case.need(changed > 0, "resample never changed anything, so nothing was proved")


def _expects(game: AnyGame, state: Any) -> object:
    """What an eye learns from being asked: the phase is announced, so it may not depend on what the eye cannot see."""
    phase = game.phase(state)
    return (phase.turn, phase.seats) if isinstance(phase, Awaits) else type(phase)


def junk(case: Case) -> None:
    """Bad text is refused by name, with an error that is not as long as the text."""
    text, random = case.text, Random(10)
    state, _, _, view = next(case.asked())
    good = [text.write(case.game.sample(view, random)), text.write_state(state), text.write_view(view)]
    readers: list[tuple[Callable[[str], Any], Callable[[Any], str]]] = [
        (lambda said: text.read(said, view), text.write), (text.read_state, text.write_state), (text.read_view, text.write_view)
    ]  # fmt: skip
    for _ in range(TEXTS):
        line, at = random.choice(good), random.randrange(10_000)
        at %= len(line) + 1
        bad = line[:at] + "".join(random.choices("0159 -xZ,.&é\n\t٣", k=random.randrange(4))) + line[at + random.randrange(3) :]
        for read, write in readers:
            try:
                said = write(read(bad))
                case.need(write(read(said)) == said, f"what was read of {bad!r} is written {said!r}, and does not read back")
            except REFUSED as error:
                case.declares(error)
    for huge in (*HUGE, good[0] * 5_000):
        for read, _ in readers:
            told = case.refuses(REFUSED, f"{huge[:20]!r}… is read as if it meant something", read, huge)
            case.need(len(told) < 1_000, f"the error for {huge[:20]!r}… has {len(told)} characters")


def grammar(case: Case) -> None:
    """Whatever is written is spelt as the game's grammar says, where it brings one."""
    if not case.listing.grammar:
        return
    told = grammar_of(case.game)
    for state, _, _, view in case.asked():
        move = case.text.write(case.game.sample(view, Random(11)))
        case.need(any(fullmatch(one.pattern, move) for one in told.moves), f"the grammar knows no move {move!r}")
        for one, said in ((told.position, case.text.write_state(state)), (told.view, case.text.write_view(view))):
            case.need(bool(fullmatch(one.pattern, said)), f"{said!r} is no {one.name} by the grammar")


def options(case: Case) -> None:
    """Options make the same game again; what makes no game is refused with `OptionError`, when the game is made."""
    one, given = case.listing, options_of(case.game)
    case.need(one.game(given) == case.game, f"the options {given} make another game")
    case.need(
        one.game({key: str(it) for key, it in given.items()}) == case.game, f"the options {given} as text make another game"
    )
    case.refuses((OptionError,), "an option that does not exist is let pass", one.game, {"no such option": 1})
    for key in (each.name for each in one.options() if each.kind is int):
        for number in (0, -1, 1, 10**18):
            with suppress(OptionError):
                try:
                    made = one.game({key: number})
                    made.phase(made.start())
                except OptionError:
                    raise
                except Exception as error:
                    case.need(False, f"{key}={number} is not refused and raises {type(error).__name__}: {error}")


def wire(case: Case) -> None:
    """Engines and interfaces of a game of two are told whose turn it is, and their moves come back."""
    if unspeakable(case.game):
        return
    screen = screen_of(case.game)
    tray, first = screen.tray, next(case.asked())[1].turn
    for state, phase, seat, view in case.asked():
        if seat in case.game.neutral:
            continue
        turn = tray.counted(phase.turn, first, seat)
        if not (tray.prepares and turn == 1):
            case.need(turn % 2 == (seat + 1) % 2, f"seat {seat} is asked with Turn={turn}: the game needs a wire of its own")
        board = tray.write(view, seat)
        if board != INIT and case.listing.wire == "":
            seen = tray.read(Received(seat, turn, board), None)
            case.need(seen == view, f"an engine that gets {board!r} sees something else than seat {seat}")
        move = case.game.sample(view, Random(phase.turn))
        said = tray.read_value(tray.write_value(case.text.write(move)))
        case.need(case.text.read(said, view) == move, f"the Value of {case.text.write(move)!r} comes back as {said!r}")
        screen.show(view, seat, asks=seat).query()
        screen.show(case.game.view(state, "spectator"), "spectator").query()


def parts(case: Case) -> None:
    """Whatever the listing names is there."""
    one = case.listing
    case.need(one.name == case.game.name and one.name.isidentifier() and one.name == one.name.lower(), "a name is a small word")
    for said in (one.line, one.ligne, one.title):
        case.need(bool(said) and said.isprintable(), "line, ligne and title are one line each")
    for where in (one.grammar, one.wire, one.levels, one.presets, *one.exports.values()):
        if where:
            fetch(where)
    files = [one.glyph, *one.manual.values(), *((f"{one.interface}/{one.page}",) if one.interface else ())]
    for where in filter(None, files):
        case.need(folder(where).is_file(), f"{where} is not there")
    strange = (
        [path.name for path in folder(one.interface).iterdir() if not path.name.startswith(one.name)] if one.interface else ()
    )
    case.need(not strange, f"files of an interface begin with the name of the game: {' '.join(strange)}")
    usual = one.game()
    for preset in presets_of(usual.label):
        case.need(bool(seats_to_move(usual, preset.states(usual)[-1])), f"nobody is to move in the preset {preset.key!r}")
    case.need(isinstance(usual.phase(last_of(usual)[1]), Outcome), "the preset `over` is not over")


def player(case: Case) -> None:
    """The weakest house player says legal moves."""
    make = levels(case.game.name)[0]
    for _, phase, seat, view in case.asked(3):
        said = make(Random(seat)).move(Position(case.game, case.text, seat, phase.turn, view))
        case.game.check(view, case.text.read(said, view))


CHECKS: tuple[Callable[[Case], None], ...] = (
    ends, phases, moves, after, pure, texts, pictures, secrets, junk, grammar, options, wire, parts, player
)  # fmt: skip
"""What holds for every game."""


def conform(game: Listing, *, options: Iterable[Mapping[str, object]] = ({},), resample: Resample | None = None) -> None:
    """Hold a game to the contract, under each of several `options`; `resample` is for a game with secrets."""
    for given in options:
        case = Case(game.game(given), resample)
        for check in CHECKS:
            try:
                check(case)
            except ConformanceError:
                raise
            except ArbitreError as error:
                raise ConformanceError(
                    "%(name)s: %(kind)s: %(error)s", name=game.name, kind=check.__name__, error=error
                ) from error
