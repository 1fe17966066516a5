"""Poker, small: the table, the cards that its eye sees, and what lies in the middle."""

from typing import Any

from arbitre.games.miniature import Miniature, picture
from arbitre.games.poker.rules import TableView

VALUES = "23456789TJQKA"
SUITS = "♣♦♥♠"
RED = (1, 2)
TABLE = '<path class="cloth" d="M6 6h68v68H6z"/><ellipse class="baize" cx="40" cy="40" rx="31" ry="25"/>'


def draw(game: Any, view: TableView, before: TableView | None) -> str:  # noqa: ARG001 - the cards say it
    """Return the board of the hand, or of the last one when the game is over, with the cards that are seen."""
    past = view.past[-1] if view.past else None
    hand = view.hand or (None if past is None else past.hand)
    if hand is None:
        return picture(TABLE)
    held = view.cards if view.hand is not None else () if past is None else past.shown
    shown = [card(one, 15 + 10 * at, 33) for at, one in enumerate(hand.board)]
    shown += [_empty(15 + 10 * at, 33) for at in range(len(hand.board), 5)]
    rows = (held[:2], held[2:]) if len(held) == 4 else (held, ()) if view.eye != 1 else ((), held)
    for at, row in ((57, rows[0]), (10, rows[1])):
        shown += [card(one, 30 + 11 * n, at) for n, one in enumerate(row)] if row else [_back(30, at), _back(41, at)]
    pot = f'<text class="count" x="40" y="30.5" font-size="6">{sum(hand.stakes)}</text>'
    return picture(TABLE, *shown, pot)


def card(one: int, x: int, y: int) -> str:
    """Return a card at a place."""
    kind = "red" if one // 13 in RED else "dark"
    return (
        f'<rect class="card" x="{x}" y="{y}" width="9" height="13" rx="1.2"/>'
        f'<text class="{kind}" x="{x + 4.5:g}" y="{y + 8.5:g}" font-size="5.4">{VALUES[one % 13]}{SUITS[one // 13]}</text>'
    )


def _empty(x: int, y: int) -> str:
    return f'<rect class="place" x="{x}" y="{y}" width="9" height="13" rx="1.2"/>'


def _back(x: int, y: int) -> str:
    return f'<rect class="back" x="{x}" y="{y}" width="9" height="13" rx="1.2"/>'


def tally(view: TableView) -> tuple[int, int]:
    """Return what both have won so far."""
    return view.gain, -view.gain


MINIATURE = Miniature(draw, tally)
