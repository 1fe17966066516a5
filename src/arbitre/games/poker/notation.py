"""Poker in text, built on the tray of the Tournoyons protocol (spec: tournoyons, section 4, and its seed, chapter Poker).

A **move** is the total stake in decimal digits, `0` to fold. (`-1`, by which a public interface of that protocol says a fold,
is read as `0`.) A **card** is suit and value, `SA` `HT` `D2`; suits are S C H D, and an ace may also come as `1`.

A **tray** is one hand: rank (2 digits), showdowns before it (2 digits), step (1), the first player's two cards, the second's,
the board, and one group `M40-?20` for each betting round begun: the totals of the first and second player, `?` before the total
of the seat that must answer a bet. A card is `??` where the reader may not know it, `--` where it is not dealt yet.

A **state** is three words and the turn: `tray gain past turn`. The gain is the first player's in the hands that are over. Past
is the last two of them, the latest last, joined by a comma, or `-`: each is its last tray, with the cards and step 9 after a
showdown, else without them and at the step whose seat folded. When the game is over, the tray is the word `over`. A **view** is
the same with the eye that sees (`first`, `second`, `spectator`, `referee`) before the turn.
"""

import re
from collections.abc import Sequence

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND, Eye, Seat
from arbitre.games.notation import Notation, read_count, split_turn
from arbitre.games.picture import beside, grid
from arbitre.games.poker.hands import Card, category, strength
from arbitre.games.poker.rules import (
    HANDS,
    MOST,
    PLAYERS,
    SHOWDOWNS,
    Hand,
    Past,
    Stakes,
    Table,
    TableView,
    Total,
    flaw,
    own,
    turn_of,
)
from arbitre.reasons import Reason
from arbitre.values import value

SUITS = "SCHD"
VALUES = "23456789TJQKA"
CARDS = tuple(suit + worth for suit in SUITS for worth in VALUES)
NUMBERS = {name: Card(number) for number, name in enumerate(CARDS)} | {
    f"{suit}1": Card(13 * n + 12) for n, suit in enumerate(SUITS)
}

HIDDEN = "??"
UNDEALT = "--"

EYES: dict[str, Eye] = {"first": FIRST, "second": SECOND, "spectator": "spectator", "referee": "referee"}
SIGHT: dict[Eye, Reason] = {
    FIRST: Reason("the first player sees his own two cards"),
    SECOND: Reason("the second player sees his own two cards"),
    "spectator": Reason("a spectator sees no hole cards"),
    "referee": Reason("the whole truth shows every card that is dealt"),
}

TRAY = re.compile(r"([0-9]{2})([0-9]{2})([1-9])((?:[A-Z][A-Z0-9]|\?\?|--){4,9})((?:M\??[0-9]{1,3}-\??[0-9]{1,3}){1,4})")
GROUP = re.compile(r"M(\??)([0-9]+)-(\??)([0-9]+)")

# ── trays ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def engine_tray(view: TableView) -> str:
    """Write the tray that an engine gets: every betting round begun, the current one last."""
    return _tournoyons(view, slice(None))


def interface_tray(view: TableView) -> str:
    """Write the tray that an interface gets: the current betting round alone; after the end, the last hand."""
    return _tournoyons(view, slice(-1, None))


def past_tray(past: Past) -> str:
    """Write the last tray of a hand that is over for an interface: the cards at a showdown, the total 0 of who folded."""
    one, two = (0 if past.folder == seat else past.hand.stakes[seat] for seat in (FIRST, SECOND))
    return f"{_head(past.hand, bool(past.shown))}{_past_cards(past)}{_cards(past.hand.board)}M{one}-{two}"


def groups(hand: Hand, shown: bool = False) -> list[str]:
    """Write the totals of each betting round, `?` before that of the seat that must answer a bet."""
    written = [f"M{one}-{two}" for one, two in hand.rounds]
    if not (shown or hand.opening):
        one, two = hand.stakes
        written[-1] = f"M?{one}-{two}" if hand.speaker == FIRST else f"M{one}-?{two}"
    return written


def _tournoyons(view: TableView, rounds: slice) -> str:
    if view.hand is None:
        return past_tray(view.past[-1])
    holes = _holes(view.eye, view.dealt, view.cards).replace(UNDEALT, HIDDEN)
    return f"{_head(view.hand)}{holes}{_cards(view.hand.board)}{''.join(groups(view.hand)[rounds])}"


def _head(hand: Hand, shown: bool = False) -> str:
    return f"{hand.rank:02}{hand.showdowns:02}{9 if shown else hand.step}"


def _cards(cards: Sequence[Card]) -> str:
    return "".join(CARDS[card] for card in cards)


def _past_cards(past: Past) -> str:
    return _cards(past.shown) or 4 * HIDDEN


def _holes(eye: Eye, dealt: int, cards: tuple[Card, ...]) -> str:
    """Write four hole cards as `eye` sees them."""
    seen = iter(cards)
    sees = _sees(eye)
    return "".join(UNDEALT if n >= dealt else CARDS[next(seen)] if n in sees else HIDDEN for n in range(4))


def _sees(eye: Eye) -> tuple[int, ...]:
    """Return the places, among the four hole cards, of those that an eye may see."""
    return own((Card(0), Card(1), Card(2), Card(3)), eye)


@value
class _Tray:
    """A tray as read, before anybody asked who may see what."""

    hand: Hand
    step: int
    holes: tuple[str, ...]
    marks: tuple[str, str]
    """What stands before the two totals of the last group."""

    @property
    def shown(self) -> bool:
        return self.step == 9 and HIDDEN not in self.holes


def _read_tray(text: str, word: str) -> _Tray:
    """Read a tray and see that its cards exist and its numbers are in range; `text` is the whole position."""
    found = TRAY.fullmatch(word.upper()) if word.isascii() else None
    if found is None:
        raise PositionError(
            text, "a hand is rank, showdowns, step, four cards, the board and its bets, such as 01001SASK????M1-2"
        )
    rank = read_count(text, found[1], Reason("the rank"), 1, HANDS)
    showdowns = read_count(text, found[2], Reason("the number of showdowns"), 0, min(rank, SHOWDOWNS) - 1)
    names = [found[4][n : n + 2] for n in range(0, len(found[4]), 2)]
    for n, name in enumerate(names):
        if name not in NUMBERS and (n >= 4 or name not in (HIDDEN, UNDEALT)):
            raise PositionError(text, "%(name)r is no card: suits are S C H D, values 2 to 9 and T J Q K A", name=name)
    known = [NUMBERS[name] for name in names if name in NUMBERS]
    if len(set(known)) < len(known):
        raise PositionError(text, "no card is dealt twice")
    bets = GROUP.findall(found[5])
    if any("?" in (one, two) for one, _, two, _ in bets[:-1]):
        raise PositionError(text, "'?' stands in the last round only")
    rounds: tuple[Stakes, ...] = tuple((int(one), int(two)) for _, one, _, two in bets)
    board = tuple(NUMBERS[name] for name in names[4:])
    return _Tray(Hand(rank, showdowns, board, rounds), int(found[3]), tuple(names[:4]), (bets[-1][0], bets[-1][2]))


def _check_bets(text: str, tray: _Tray, shown: bool = False) -> Hand:
    """Return the hand of a tray if some play leads there and its step and its `?` say so too."""
    why = flaw(tray.hand, shown)
    if why is not None:
        raise PositionError(text, why)
    step = 9 if shown else tray.hand.step
    if tray.step != step:
        raise PositionError(text, "these bets make it step %(step)s, not %(step2)s", step=step, step2=tray.step)
    last = groups(tray.hand, shown)[-1]
    one, two = tray.hand.stakes
    if last != f"M{tray.marks[0]}{one}-{tray.marks[1]}{two}":
        raise PositionError(text, "'?' stands before the total of the seat that must answer a bet: %(last)s", last=last)
    return tray.hand


def _read_holes(text: str, tray: _Tray, eye: Eye) -> tuple[int, tuple[Card, ...]]:
    """Return how many hole cards are dealt, and those that `eye` sees: it must see its own and no others."""
    dealt = sum(name != UNDEALT for name in tray.holes)
    if UNDEALT in tray.holes[:dealt]:
        raise PositionError(text, "the first player's cards are dealt first")
    if dealt < 4 and (tray.hand.board or len(tray.hand.rounds) > 1 or min(tray.hand.stakes) > 1):
        raise PositionError(text, "nobody bets before the cards are dealt")
    for n, name in enumerate(tray.holes[:dealt]):
        if (name != HIDDEN) != (n in _sees(eye)):
            raise PositionError(text, "hole card %(n)s cannot be %(name)s here: %(sight)s", n=n + 1, name=name, sight=SIGHT[eye])
    return dealt, tuple(NUMBERS[name] for name in tray.holes[:dealt] if name != HIDDEN)


def _read_past(text: str, word: str) -> tuple[Past, ...]:
    """Read the hands that are over, at most two, one after the other."""
    if word == "-":
        return ()
    words = word.split(",", 2)
    if len(words) > 2:
        raise PositionError(text, "at most the last two hands are told")
    return tuple(_read_one_past(text, one) for one in words)


def _read_one_past(text: str, word: str) -> Past:
    tray = _read_tray(text, word)
    hand = _check_bets(text, tray, tray.shown)
    if tray.shown:
        return Past(hand, _read_holes(text, tray, "referee")[1])
    if hand.speaker is None or len(hand.board) != hand.due or set(tray.holes) != {HIDDEN}:
        raise PositionError(text, "a hand that is over was folded, its cards hidden, or shown down at step 9")
    return Past(hand)


def _check_order(text: str, past: tuple[Past, ...], hand: Hand | None) -> None:
    """See that the hands follow each other up to the present one, or to the end of the game."""
    for before, now in zip(past, (*(one.hand for one in past[1:]), hand), strict=False):
        if now is None:
            if not before.final:
                raise PositionError(
                    text,
                    "the game is not over after hand %(rank)s and %(showdowns)s showdowns",
                    rank=before.hand.rank,
                    showdowns=before.showdowns,
                )
        elif before.final:
            raise PositionError(
                text,
                "the game is over after hand %(rank)s and %(showdowns)s showdowns",
                rank=before.hand.rank,
                showdowns=before.showdowns,
            )
        elif (now.rank, now.showdowns) != (before.hand.rank + 1, before.showdowns):
            raise PositionError(
                text,
                "after hand %(rank)s comes %(rank2)s with %(showdowns)s showdowns before it, "
                "not hand %(rank3)s with %(showdowns2)s",
                rank=before.hand.rank,
                rank2=before.hand.rank + 1,
                showdowns=before.showdowns,
                rank3=now.rank,
                showdowns2=now.showdowns,
            )
    if hand is None and not past:
        raise PositionError(text, "a game that is over tells its last hand")


def _read_gain(text: str, word: str, past: tuple[Past, ...], hand: Hand | None) -> int:
    """Read the first player's gain, which the hands told and a hundred chips for each of the others must bear out."""
    sign = -1 if word.startswith("-") else 1
    gain = sign * read_count(text, word[word[:1] in ("-", "+") :], Reason("the first player's gain"), 0, HANDS * MOST)
    over = past[-1].hand.rank if hand is None else hand.rank - 1
    told = sum(one.gain for one in past)
    if abs(gain - told) > MOST * (over - len(past)):
        raise PositionError(text, "the first player cannot have a gain of %(gain)s after %(over)s hands", gain=gain, over=over)
    return gain


def _read_turn(text: str, turn: int | None, hand: Hand | None) -> int:
    """Take the turn number if it is the speaker's, or begin to count with him."""
    speaker = None if hand is None else hand.speaker
    if turn is None:
        return turn_of(speaker, 1)
    if speaker is not None and turn != turn_of(speaker, turn):
        raise PositionError(
            text,
            "the %(which)s player speaks: the turn is %(which2)s, not %(turn)s",
            which=Reason(PLAYERS[speaker]),
            which2=Reason("even") if speaker else Reason("odd"),
            turn=turn,
        )
    return turn


class PokerNotation(Notation[Table, Total, TableView]):
    """Texts of poker."""

    def read(self, text: str, view: TableView) -> Total:  # noqa: ARG002 - a total is a total on every table
        """Read a total stake, at most three digits."""
        word = text.strip(" ")
        if word == "-1":
            return Total(0)
        if not (word.isascii() and word.isdigit() and len(word) <= 3):
            raise InvalidMoveError(text, "no-total", most=MOST)
        return Total(int(word))

    def write(self, move: Total) -> str:
        """Write the total in decimal digits."""
        return str(move)

    def read_state(self, text: str) -> Table:
        """Read tray, gain, past hands and perhaps the turn; refuse what no game can come to."""
        (tray, gain, past), turn = split_turn(text, 3)
        seen = _read_view(text, (tray, gain, past, "referee"), turn)
        return Table(seen.hand, seen.cards, seen.gain, seen.past, seen.turn)

    def write_state(self, state: Table) -> str:
        """Write tray, gain, past hands and turn."""
        return " ".join((*_words(self.game.view(state, "referee")), str(state.turn)))

    def read_view(self, text: str) -> TableView:
        """Read tray, gain, past hands, eye and perhaps the turn."""
        words, turn = split_turn(text, 4)
        return _read_view(text, (words[0], words[1], words[2], words[3]), turn)

    def write_view(self, view: TableView) -> str:
        """Write the state with `??` for the cards that the eye may not see, and who looks."""
        return " ".join((*_words(view), _name(view.eye), str(view.turn)))

    def picture(self, view: TableView) -> str:
        """Draw the table: the other player above, the board, oneself below, and what the last hands came to."""
        return picture(view)


def _words(view: TableView) -> tuple[str, str, str]:
    told = ",".join(_tray(one.hand, _past_cards(one), bool(one.shown)) for one in view.past)
    tray = "over" if view.hand is None else _tray(view.hand, _holes(view.eye, view.dealt, view.cards))
    return tray, str(view.gain), told or "-"


def _tray(hand: Hand, holes: str, shown: bool = False) -> str:
    return f"{_head(hand, shown)}{holes}{_cards(hand.board)}{''.join(groups(hand, shown))}"


def _read_view(text: str, words: tuple[str, str, str, str], turn: int | None) -> TableView:
    tray, gain, past, name = words
    eye = EYES.get(name.lower())
    if eye is None:
        raise PositionError(text, "the eye is one of %(eyes)s", eyes=", ".join(EYES))
    hand = None
    dealt, cards = 0, tuple[Card, ...]()
    if tray.lower() != "over":
        parsed = _read_tray(text, tray)
        hand = _check_bets(text, parsed)
        dealt, cards = _read_holes(text, parsed, eye)
    told = _read_past(text, past)
    _check_order(text, told, hand)
    return TableView(eye, hand, dealt, cards, _read_gain(text, gain, told, hand), told, _read_turn(text, turn, hand))


def _name(eye: Eye) -> str:
    return next(name for name, known in EYES.items() if known == eye)


# ── pictures ───────────────────────────────────────────────────────────────────────────────────────────────────────

ROUNDS = ("pre-flop", "flop", "turn", "river")
SIGNS = dict(zip(SUITS, "♠♣♥♦", strict=True))


def picture(view: TableView) -> str:
    """Draw the table for one eye."""
    over = view.hand is None
    hand = view.past[-1].hand if view.hand is None else view.hand
    shown = over and bool(view.past[-1].shown)
    holes = _past_cards(view.past[-1]) if over else _holes(view.eye, view.dealt, view.cards)
    played = f"hand {hand.rank} of {HANDS}, {view.past[-1].showdowns if over else hand.showdowns} of {SHOWDOWNS} showdowns"
    below = SECOND if view.eye == SECOND else FIRST
    rows = [
        f"{played}, the game is over" if over else f"{played}, step {hand.step}",
        _player(view, hand, Seat(1 - below), holes),
        _row("  board ", [*(_face(CARDS[card]) for card in hand.board), *["   "] * (5 - len(hand.board))], ""),
        _player(view, hand, below, holes),
        "  bets    " + ", ".join(f"{name} {bets[1:]}" for name, bets in zip(ROUNDS, groups(hand, shown), strict=False)),
        *(_told(one) for one in view.past),
    ]
    if view.speaker is not None:
        least = hand.least
        most = f" or {least}" if least == MOST else f", or {least} to {MOST}"
        rows.append(f"  the {PLAYERS[view.speaker]} player says his total: 0 to fold{most}")
    return "\n".join(rows)


def _player(view: TableView, hand: Hand, seat: Seat, holes: str) -> str:
    mark = "▶" if view.speaker == seat else " "
    gain = -view.gain if seat else view.gain
    notes = [f"total {hand.stakes[seat]:>3}", f"gain {gain:+d}" if gain else "gain 0"]
    notes += ["dealer"] * (hand.dealer == seat) + ["you"] * (view.eye == seat)
    cards = [_face(holes[n : n + 2]) for n in (4 * seat, 4 * seat + 2)]
    return _row(f"{mark} {PLAYERS[seat]:<6}", cards, "   ".join(notes))


def _row(label: str, cells: Sequence[str], notes: str) -> str:
    return beside(f"\n{label}", grid([cells]), f"\n{notes}", gap=2)


def _face(name: str) -> str:
    """Return the three characters that a card shows in a picture: `10♥`."""
    if name in (HIDDEN, UNDEALT):
        return "░░░" if name == HIDDEN else "   "
    return f"{name[1].replace('T', '10'):>2}{SIGNS[name[0]]}"


def _told(past: Past) -> str:
    """Tell what a hand came to, in one line or two."""
    winner = PLAYERS[FIRST if past.gain > 0 else SECOND]
    won = f"{winner} wins {abs(past.gain)}" if past.gain else "nobody wins"
    if past.folder is not None:
        return f"  hand {past.hand.rank}: {PLAYERS[past.folder]} folded at step {past.hand.step}, {won}"
    board = " ".join(_face(CARDS[card]).strip() for card in past.hand.board)
    hands = (
        f"{PLAYERS[seat]} {' '.join(_face(CARDS[card]).strip() for card in cards)} {category(strength(cards + past.hand.board))}"
        for seat, cards in ((FIRST, past.shown[:2]), (SECOND, past.shown[2:]))
    )
    return f"  hand {past.hand.rank}: {won}, {board}\n    {', '.join(hands)}"
