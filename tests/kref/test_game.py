"""Kriegspiel by file: whole games, three ways to end, and every cheat refused with its own message."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import chess
import pytest

from arbitre.crypto.passwords import LIGHT
from arbitre.crypto.sealing import Published, provider
from arbitre.errors import ArbitreError, GameFileError, GameStageError, PasswordError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.kriegspiel.announcements import code, words
from arbitre.games.kriegspiel.notation import tray
from arbitre.games.kriegspiel.rules import Kriegspiel, Sight, Truth
from arbitre.kref.course import Course, Mode
from arbitre.kref.desk import Desk
from arbitre.kref.file import NO_GUESS, Body, Mark, canonical, identity
from arbitre.kref.game import Seated, call_game, cells, read_game
from arbitre.kref.proof import prove
from arbitre.reasons import Reason
from arbitre.records.heads import delay
from arbitre.referee.story import export
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof
from arbitre.referee.verify import verify as check
from tests.kref.mail import body_of, forge, mangle
from tests.reasons import raises


def call(mode: Mode = "classic", **options: object) -> Seated:
    return call_game("test", "Bob", "black", "default", Published(), mode, options, LIGHT, date="2026-11-16")


def begin(mode: Mode = "classic", **options: object) -> Seated:
    """Return a game with White seated, who is to move."""
    return call(mode, **options).file.join("Ada", "white", LIGHT)


def played(*tries: str) -> Seated:
    """Return a game after moves that are all made, with the one who moved last at it."""
    seated = begin()
    for number, text in enumerate(tries):
        seated = seated.file.login(("white", "black")[number % 2])
        seated, ruling = seated.attempt(text)
        assert ruling.made, text
    return seated


def reread(text: str) -> None:
    read_game(text, provider)


MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


# ── the course of a game ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_short_game() -> None:
    seated = begin()
    seated, ruling = seated.attempt("e2e5")
    assert (ruling.made, [words(one) for one in ruling.said]) == (False, ["Illegal move"])
    seated, ruling = seated.attempt("e2d3")
    assert (ruling.made, [words(one) for one in ruling.said]) == (False, ["Not possible"])
    seated, ruling = seated.attempt("f2f3")
    assert (ruling.made, [words(one) for one in ruling.said]) == (True, ["Black to move"])
    with raises(GameStageError, "%(colour)s is to move", colour="Black"):
        seated.attempt("e2e4")
    seated = played(*MATE)
    assert seated.file.verdict is not None
    assert seated.file.verdict.reason == Reason("checkmate", seat=1)
    assert seated.file.open
    for password in ("white", "black"):
        assert isinstance(seated.file.login(password).view, Truth)
    with raises(GameStageError, "the game is over"):
        seated.attempt("e2e4")


def test_a_seat_sees_its_own_pieces_only() -> None:
    seated = played("e2e4", "d7d5")
    white, black = seated.file.login("white").view, seated.file.login("black").view
    assert isinstance(white, Sight)
    assert isinstance(black, Sight)
    assert not re.search("[a-z]", tray(white))
    assert not re.search("[A-Z]", tray(black))


def test_guesses_are_one_players_own() -> None:
    seated = played("e2e4").file.login("white").guess({"e5": "p", "d8": "Q"})
    file = read_game(seated.file.text(), provider)
    white, black = file.login("white"), file.login("black")
    assert cells(white.view, white.guesses)[28] == "p"
    assert white.guesses[3] == "q"
    assert black.guesses == NO_GUESS
    assert white.guess({"e5": ""}).guesses[28] == "0"
    assert black.secret.open(file.body.guesses[FIRST]) is None, "the other password does not open them"
    with raises(GameStageError, "a guess is a square and one of pnbrqk"):
        white.guess({"e9": "q"})


def test_passwords_name_the_seat() -> None:
    file = begin().file
    assert file.login("white").seat == FIRST
    assert file.login("black").seat == SECOND
    for password, seat in (("wrong", None), ("white", SECOND), ("black", FIRST)):
        with raises(PasswordError, "wrong password"):
            file.login(password, seat)
    with raises(PasswordError, "cannot be White's in this game"):
        call().file.join("Ada", "black", LIGHT)
    with raises(GameStageError, "White has a password in this game already"):
        file.join("Eve", "eve", LIGHT)
    with raises(GameStageError, "White has no password yet"):
        call().file.login("white", FIRST)
    with raises(GameStageError, "White has not sat down yet"):
        call().attempt("e7e5")


def test_refusals_for_the_movers_ears_only() -> None:
    seated = begin(refusals="mover")
    seated, _ = seated.attempt("e2e5")
    assert len(seated.view.now) == 2
    assert len(seated.file.login("black").view.now) == 1


def test_what_is_tried_may_be_any_text() -> None:
    seated = begin()
    for text in ("", "é", "a" * 500, "e2,e4", "\n\0", "o-o", "{}%"):
        seated, ruling = seated.attempt(text)
        assert not ruling.made
        reread(seated.file.text())


def test_the_log_tells_a_player_what_he_knows_and_no_more() -> None:
    """Own tries and moves, what was heard, where something was taken; the other side's tries when the secrets are open."""
    seated = begin()
    for password, text in (
        ("white", "e2d3"), ("white", "e2e4"), ("black", "d7d5"), ("white", "e4d5"), ("black", "d8e7"), ("black", "d8d5"),
        ("white", "b1c3"),
    ):  # fmt: skip
        seated, _ = seated.file.login(password).attempt(text)
    white, black = (
        [(one.turn, one.tried, one.made, [code(said) for said in one.said], one.square) for one in seated.file.log(seat)]
        for seat in (FIRST, SECOND)
    )
    assert white == [
        (1, "", False, ["wm0"], ""), (1, "e2d3", False, ["wnp"], ""), (1, "e2e4", True, [], ""),
        (2, "", False, ["bm0"], ""), (2, "", True, [], ""),
        (3, "", False, ["wm1"], ""), (3, "e4d5", True, ["wpn"], "d5"),
        (4, "", False, ["bm0"], ""), (4, "", False, ["bil"], ""), (4, "", True, ["bpn"], "d5"),
        (5, "", False, ["wm0"], ""), (5, "b1c3", True, [], ""),
        (6, "", False, ["bm0"], ""),
    ]  # fmt: skip
    assert [one[:1] + one[2:] for one in black] == [one[:1] + one[2:] for one in white], "both hear the same"
    assert [one[1] for one in black if one[1]] == ["d7d5", "d8e7", "d8d5"]
    over = seated.file.login("black").resign().file.login("white").acknowledge().file
    assert [one.tried for one in over.log(FIRST) if one.tried] == ["e2d3", "e2e4", "d7d5", "e4d5", "d8e7", "d8d5", "b1c3"]


def test_a_capture_en_passant_is_logged_where_the_mover_went() -> None:
    """That it was en passant he cannot tell; who lost the pawn can."""
    file = played("e2e4", "a7a6", "e4e5", "d7d5", "e5d6").file
    assert [one.square for one in file.log(FIRST) if one.square] == ["d6"]
    assert [one.square for one in file.log(SECOND) if one.square] == ["d5"]


def test_the_log_has_no_refusals_that_are_not_heard() -> None:
    seated, _ = begin(refusals="mover").attempt("e2e5")
    assert [one.tried for one in seated.file.log(FIRST)] == ["", "e2e5"]
    assert [one.tried for one in seated.file.log(SECOND)] == [""]


def test_a_draw_by_agreement_in_a_file() -> None:
    """Offered, heard by both, answered in the next turn; the record proves it, and a plan may begin with it."""
    seated = begin()
    seated, ruling = seated.attempt("draw")
    assert (ruling.made, [words(one) for one in ruling.said]) == (False, ["White offers a draw"])
    seated, _ = seated.attempt("e2e4")
    black = read_game(seated.file.text(), provider).login("black")
    assert [words(one) for one in black.file.log(SECOND)[1].said] == ["White offers a draw"]
    black, ruling = black.attempt("draw")
    assert [words(one) for one in ruling.said] == ["Black accepts the draw"]
    assert black.file.verdict is not None
    assert black.file.verdict.reason == Reason("agreed")
    assert black.file.open
    assert prove(black.file) == (3, 0)
    assert check(black.file.record().text().encode()).standing is Proof.INTACT
    planned = begin("planned").plan(["draw", "e2e4"]).file.login("black").adjudicate()[0].plan(["draw", "e7e5"])
    white, rulings = planned.file.login("white").adjudicate()
    assert [one.text for one in rulings] == ["draw"], "what comes behind is not tried any more"
    assert white.file.verdict is not None


def test_the_day_of_a_game_is_in_its_record() -> None:
    file = played(*MATE).file
    assert '[Date "2026.11.16"]' in export(file.record(), "pgn")
    never = file.body.log[0].replace("2026-11-16", "yesterday")
    with raises(GameFileError, "the file is forged: no game is called with mode", mode="classic", date="yesterday"):
        reread(forge(file.text(), lambda body: replace(body, log=(never, *body.log[1:])), game=identity(never)))


# ── resignation, accusation ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("accuse", [False, True], ids=["resigns", "accuses"])
def test_the_loser_sees_the_board_only_from_the_acknowledged_file(accuse: bool) -> None:
    loser = played("e2e4").file.login("black").resign(accuse)
    assert not loser.file.open
    assert isinstance(loser.view, Sight), "the resigner sees no more than before"
    assert loser.file.verdict is not None
    assert loser.file.verdict.scores == (Fraction(1), Fraction(0))
    assert loser.file.verdict.termination is Termination.RESIGNED
    assert loser.file.verdict.reason.code == ("accused-referee" if accuse else "gave-up")
    with raises(GameStageError, "its secrets are closed"):
        loser.file.record()
    with raises(GameStageError, "only the other player acknowledges"):
        loser.acknowledge()
    with raises(GameStageError, "the game is over"):
        loser.resign()
    winner = read_game(loser.file.text(), provider).login("white")
    assert isinstance(winner.view, Sight)
    returned = read_game(winner.acknowledge().file.text(), provider)
    assert isinstance(returned.login("black").view, Truth)
    with raises(GameStageError, "no resignation to acknowledge"):
        returned.login("white").acknowledge()


def test_nothing_to_acknowledge_while_the_game_runs() -> None:
    with raises(GameStageError, "no resignation to acknowledge"):
        begin().acknowledge()
    with raises(GameStageError, "the game has not begun"):
        call().resign()


def test_the_record_proves_the_referee_right() -> None:
    seated = begin()
    for text in ("e2d3", "e2e5", "f2f3"):
        seated, _ = seated.attempt(text)
    seated = seated.file.login("black").resign(accuse=True).file.login("white").acknowledge()
    assert prove(seated.file) == (3, 2)
    found = check(seated.file.record().text().encode())
    assert found.standing is Proof.INTACT, found.line


CASTLES = ("e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5")


@pytest.mark.parametrize(
    "text", ["e1h1", "E1H1 ", "e1g1", "e1e1", "a1a1", "0000", "e1c1", "Q@d4", "O-O", "e1f1q", "e4d5", "e4e5"]
)
def test_the_proof_reads_a_try_as_the_umpire_does(text: str) -> None:
    """The king onto his own rook is no castling for the umpire, whatever python-chess makes of it."""
    seated, _ = played(*CASTLES).file.login("white").attempt(text)
    seated = seated.file.login("black").resign(accuse=True).file.login("white").acknowledge()
    assert prove(seated.file).tries == 7


@pytest.mark.parametrize("strict", [False, True], ids=["lenient", "strict"])
def test_the_proof_never_contradicts_the_umpire(strict: bool) -> None:
    """Whatever is tried in a game of castlings, promotions, en passant and pins, sound tries and traps."""
    random = Random(7)
    file = begin(strict=strict).file
    assert file.white is not None
    tried = 0
    for _ in range(6):
        course = Course(file.call, file.white)
        for number, text in enumerate(CASTLES):
            course.hear(f"{number % 2}t:{text}")
        for _ in range(200):
            if course.affairs.verdict is None:
                course.hear(f"{course.affairs.truth.mover:d}t:{trap(course.affairs.truth, random)}")
        if course.affairs.verdict is None:
            course.hear("0r")
            course.hear("1a")
        tried += prove(replace(file, course=course)).tries
    assert tried > 600


def trap(truth: Truth, random: Random) -> str:
    """Return something to try: a try that fits, one of two squares of the own side, two squares, or what another book writes."""
    view = Kriegspiel().view(truth, truth.mover)
    own = [name for name, letter in zip(map(chess.square_name, chess.SQUARES_180), tray(view), strict=True) if letter != "0"]
    kind = random.randrange(8)
    if kind < 4:
        return Kriegspiel().sample(view, random).uci()
    if kind < 6:
        return random.choice(own) + random.choice(own)
    if kind == 6:
        return "".join(random.choices(chess.SQUARE_NAMES, k=2)) + random.choice(["", "q", "k", "p"])
    home = 8 if truth.mover == SECOND else 1
    return random.choice([f"e{home}h{home}", f"e{home}a{home}", "0000", "O-O", "P@e4"])


# ── planned tries ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_planned_tries_are_judged_by_the_other_program() -> None:
    white = begin("planned").plan(["e2d3", "e2e4", "d2d4"])
    assert white.file.ply == 0
    again = read_game(white.file.text(), provider).login("white")
    assert again.adjudicate() == (again, ()), "the mover's own program judges nothing: a copy gains nothing"
    assert again.view.now == begin("planned").view.now
    with raises(GameStageError, "your plan waits for the other player's program"):
        again.plan(["g1f3"])
    black, rulings = read_game(white.file.text(), provider).login("black").adjudicate()
    assert [(one.text, one.made) for one in rulings] == [("e2d3", False), ("e2e4", True)]
    assert black.file.ply == 1
    black = black.plan(["e7e5"])
    white = read_game(black.file.text(), provider).login("white")
    assert len(white.view.past) == 1
    white, rulings = white.adjudicate()
    assert rulings[0].made
    assert white.file.ply == 2


def test_a_plan_of_which_nothing_is_possible_leaves_the_turn() -> None:
    black, rulings = begin("planned").plan(["e2d3", "a1a8"]).file.login("black").adjudicate()
    assert [one.made for one in rulings] == [False, False]
    with raises(GameStageError, "%(colour)s is to move", colour="White"):
        black.plan(["e7e5"])
    assert black.file.login("white").plan(["e2e4"]).file.mover == FIRST


def test_modes_are_not_mixed() -> None:
    with raises(GameStageError, "planned tries: say all of them at once"):
        begin("planned").attempt("e2e4")
    with raises(GameStageError, "this game is classic"):
        begin().plan(["e2e4"])
    with raises(GameStageError, "a plan has 1 to", most_planned=60, tries=0):
        begin("planned").plan([])


# ── cheating: the cheat holds the published key, and may seal what he likes ──────────────────────────────────────────


def log(*entries: str) -> Callable[[Body], Body]:
    return lambda body: replace(body, log=(*body.log, *entries))


def without_last(body: Body) -> Body:
    return replace(body, log=body.log[:-1])


def test_a_move_entered_for_the_other_is_not_signed() -> None:
    text = played("e2e4").file.text()
    with raises(GameFileError, "the file is forged: entry", last=4, who="Black", who2="Black", count=1):
        reread(forge(text, log("1t:a7a6"), ply=2))


def test_a_changed_move_breaks_the_signature() -> None:
    text = played("e2e4", "e7e5").file.text()
    with raises(GameFileError, "s signature does not fit what", who="White", who2="White"):
        reread(forge(text, lambda body: replace(body, log=(*body.log[:2], "0t:d2d4", *body.log[3:]))))


def test_a_move_taken_back_is_missed_by_the_signature() -> None:
    text = played("e2e4", "e7e5").file.text()
    with raises(GameFileError, "the file is cut short", who="Black", count=4, log=3):
        reread(forge(text, without_last, ply=1))


def test_a_move_that_no_referee_allowed() -> None:
    text = played("e2e4").file.text()
    with raises(GameFileError, "seat %(seat)s was not asked", seat=0):
        reread(forge(text, log("0t:d2d4")))


def test_a_changed_password_entry() -> None:
    """Whoever puts his own key in Black's place cannot sign what Black has signed."""
    text = played("e2e4", "e7e5").file.text()
    mine = call()
    with raises(GameFileError, "it was called otherwise than its header says"):
        reread(forge(text, lambda body: replace(body, log=(mine.file.body.log[0], *body.log[1:]))))
    with raises(GameFileError, "s signature does not fit what"):
        reread(forge(text, lambda body: replace(body, log=(mine.file.body.log[0], *body.log[1:])), game=mine.file.game))
    white = canonical({"white": call().file.call.black.fields()})
    with raises(GameFileError, "s signature does not fit what", who="White", who2="White"):
        reread(forge(text, lambda body: replace(body, log=(body.log[0], white, *body.log[2:]))))


def test_a_resigner_who_acknowledges_for_the_other() -> None:
    loser = played("e2e4", "e7e5").file.login("white").resign()
    with raises(GameFileError, "the file is forged: entry", last=6, who="Black", who2="Black", count=4):
        reread(forge(loser.file.text(), log("1a")))
    with raises(GameFileError, "seat %(seat)s has nothing to acknowledge", seat=0):
        reread(forge(loser.file.text(), log("0a")))


def test_a_replayed_acknowledgement() -> None:
    """An acknowledgement that Black signed, in another game or in this one, signs no other resignation."""
    first = played("e2e4", "e7e5").file.login("white").resign()
    acknowledged = body_of(first.file.login("black").acknowledge().file.text())
    other = played("e2e4", "e7e5").file.login("white").resign()
    with raises(GameFileError, "s signature does not fit what", who="Black", who2="Black"):
        reread(forge(other.file.text(), lambda body: replace(log("1a")(body), marks=(body.marks[0], acknowledged.marks[1]))))
    later, _ = played("e2e4", "e7e5").file.login("white").attempt("g1f3")
    with raises(GameFileError, "nothing to acknowledge"):
        reread(forge(later.file.text(), lambda body: replace(log("1a")(body), marks=(body.marks[0], acknowledged.marks[1]))))


def test_a_plan_judged_by_its_own_maker() -> None:
    planned = begin("planned").plan(["e2e4"])
    with raises(GameFileError, "nothing calls for the entry %(entry)r", entry="0j"):
        reread(forge(planned.file.text(), log("0j"), ply=1))
    with raises(GameFileError, "the file is forged: entry", last=4, who="Black", who2="Black", count=1):
        reread(forge(planned.file.text(), log("1j"), ply=1))


def test_a_signature_of_somebody_who_has_not_sat_down() -> None:
    with raises(GameFileError, "signed before sitting down", who="White"):
        reread(forge(call().file.text(), lambda body: replace(body, marks=(Mark(1, "00" * 64), body.marks[1]))))


@pytest.mark.parametrize("entry", ["", "2t:e2e4", "0t", "0r:x", "0q", "0p:e2e4", "1j", '{"white":1}', "0t:" + "x" * 3000])
def test_entries_that_nobody_writes(entry: str) -> None:
    with raises(GameFileError, "the file is forged"):
        reread(forge(begin().file.text(), log(entry)))


@pytest.mark.parametrize("name", ["\x1b[2J", "a\nb", "", "x" * 81, "\ud800"])
def test_a_name_does_not_steer_the_others_terminal(name: str) -> None:
    white = begin()
    entry = white.file.white
    assert entry is not None
    named = canonical({"white": replace(entry, name=name).fields()})
    with raises(GameFileError, "a player's name is not printable"):
        reread(forge(white.file.text(), lambda body: replace(body, log=(body.log[0], named))))
    with raises(GameFileError, "printable characters"):
        call().file.join(name, "white", LIGHT)


def test_a_header_of_another_ply() -> None:
    with raises(GameFileError, "its header does not follow from its log"):
        reread(forge(played("e2e4").file.text(), lambda body: body, ply=9))


# ── the desk: memory, passwords, mail ──────────────────────────────────────────────────────────────────────────────


class Machine:
    """A player's computer: a folder, a memory, a mailbox."""

    def __init__(self, home: Path, password: str) -> None:
        home.mkdir()
        self.path = home / "game.ksg"
        self.password = password
        self.waits: list[float] = []
        self.desk = Desk(self.path, home / "state", home / "commands", self.waits.append)

    def login(self, password: str = "") -> Seated:
        with self.desk.opened() as game:
            seated = self.desk.login(game, password or self.password)
        assert isinstance(seated, Seated)
        return seated

    def attempt(self, text: str) -> bool:
        seated, ruling = self.login().attempt(text)
        self.desk.save(seated)
        return ruling.made

    def send(self, other: "Machine", random: Random) -> None:
        other.path.write_text(mangle(self.path.read_text(), random), newline="")


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    """White's and Black's, with White seated and to move."""
    white, black = Machine(tmp_path / "w", "white"), Machine(tmp_path / "b", "black")
    black.desk.call("game", "Bob", "black", work=LIGHT)
    black.send(white, Random(1))
    with white.desk.opened() as game:
        white.desk.join(game, "Ada", "white", LIGHT)
    return white, black


@pytest.mark.parametrize(
    ("seed", "plies"), [(1, 12), pytest.param(1, 30, marks=pytest.mark.campaign), pytest.param(2, 30, marks=pytest.mark.campaign)]
)
def test_a_long_game_by_mail(machines: tuple[Machine, Machine], seed: int, plies: int) -> None:
    random = Random(seed)
    rules = Kriegspiel()
    for ply in range(plies):
        mover, other = machines[ply % 2], machines[1 - ply % 2]
        while True:
            view = mover.login().view
            if mover.attempt(rules.sample(view, random).uci()):
                break
        mover.send(other, random)
        if other.login().file.verdict is not None:
            break
    assert other.login().file.ply == ply + 1
    assert machines[0].login().file.chain == machines[1].login().file.chain


def test_an_older_file_is_refused(machines: tuple[Machine, Machine]) -> None:
    """Of this turn, to try again, and of an earlier one."""
    white, black = machines
    copy = white.path.read_text()
    white.attempt("e2d3")
    white.attempt("a1a8")
    newer = white.path.read_text()
    white.path.write_text(copy)
    with raises(GameFileError, "is older than the file that this machine saw last, of ply", ply=0):
        white.login()
    white.path.write_text(newer)
    white.attempt("e2e4")
    white.send(black, Random(3))
    black.login()
    black.path.write_text(copy)
    with raises(GameFileError, "is older than the file that this machine saw last, of ply", ply=1):
        black.login()


def test_the_memory_does_not_tell_how_often_the_other_was_refused(tmp_path: Path) -> None:
    sizes = set()
    for refusals in (0, 7):
        white, black = Machine(tmp_path / f"w{refusals}", "white"), Machine(tmp_path / f"b{refusals}", "black")
        black.desk.call("game", "Bob", "black", options={"refusals": "mover"}, work=LIGHT)
        black.send(white, Random(1))
        with white.desk.opened() as game:
            white.desk.join(game, "Ada", "white", LIGHT)
        for text in (*["e2d3"] * refusals, "e2e4"):
            white.attempt(text)
        white.send(black, Random(1))
        black.login()
        memory = next(black.path.parent.glob("state/kref/*.json"))
        sizes.add((len(memory.read_text()), len("".join(white.path.read_text().split()))))
    assert len(sizes) == 1


def test_another_continuation_is_refused(machines: tuple[Machine, Machine], tmp_path: Path) -> None:
    """White plays one move, sends it, and sends another one after it, played from a copy on another machine."""
    white, black = machines
    second = Machine(tmp_path / "w2", "white")
    white.send(second, Random(4))
    white.attempt("e2e4")
    white.send(black, Random(4))
    black.login()
    second.attempt("d2d4")
    second.send(black, Random(4))
    with raises(GameFileError, "somebody played on from a copy"):
        black.login()


def test_a_foreign_file_under_this_name_is_refused(machines: tuple[Machine, Machine]) -> None:
    white, _ = machines
    white.path.write_text(begin().file.text())
    with raises(GameFileError, "a file of another game"):
        white.login()


def test_wrong_passwords_slow_down(machines: tuple[Machine, Machine]) -> None:
    white, _ = machines
    for _ in range(4):
        with pytest.raises(PasswordError):
            white.login("guess")
    assert white.waits[-4:] == [0.0, 0.25, 0.5, 1.0]
    with pytest.raises(GameStageError), white.desk.opened() as game:
        white.desk.join(game, "Eve", "eve", LIGHT)
    white.login()
    assert white.waits[-1] == 2.0, "a step that was not due neither counts nor forgives"
    white.login()
    assert white.waits[-1] == 0.0
    assert delay(1_000) == 30.0


def test_a_wrong_password_reveals_and_changes_nothing(machines: tuple[Machine, Machine]) -> None:
    white, _ = machines
    before = white.path.read_bytes()
    with raises(PasswordError, "wrong password"):
        white.login("guess")
    assert white.path.read_bytes() == before


def test_a_game_that_an_external_program_seals(tmp_path: Path) -> None:
    black, white = Machine(tmp_path / "b", "black"), Machine(tmp_path / "w", "white")
    program = "#!/bin/sh\n[ $1 = get_key ] && echo k || tail -n 1 | tr 'A-Za-z' 'a-zA-Z'\n"
    (tmp_path / "b" / "commands").mkdir()
    (tmp_path / "b" / "commands" / "secretary").write_text(program)
    (tmp_path / "b" / "commands" / "secretary").chmod(0o755)
    black.desk.call("game", "Bob", "black", "command:secretary", work=LIGHT)
    assert black.login().file.provider == "command:secretary"
    black.send(white, Random(5))
    with raises(ArbitreError, "put the program that its author gave you into", name="command:secretary"):
        white.login()


def test_files_that_are_not_there(tmp_path: Path, machines: tuple[Machine, Machine]) -> None:
    with raises(GameFileError, "cannot read"):
        Desk(tmp_path / "none.ksg", tmp_path).read()
    with raises(ArbitreError, "exists: choose another name"):
        machines[1].desk.call("again", "Bob", "black", work=LIGHT)
