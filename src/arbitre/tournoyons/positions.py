"""Positions worth showing an engine or an interface, for each game of the Tournoyons wire (spec: tournoyons, section 7).

A preset is a position in the game's notation, or the moves that lead to it from the start; each game has its start, something
from the middle, something near the end, and what engines and interfaces get wrong most often. What they are called is for the
page that shows them: here they have keys.
"""

from collections.abc import Mapping
from typing import Any

from arbitre.games.game import AnyGame, Awaits, Seat
from arbitre.games.labels import key_of
from arbitre.games.notation import notation_of
from arbitre.values import value


@value
class Preset:
    """One position; `key` names it within its game."""

    key: str
    text: str = ""
    """The position in the game's notation; empty: where `line` leads from the start."""
    line: str = ""
    """Moves with spaces between; two that are made at once are joined by `&`."""

    def states(self, game: AnyGame) -> tuple[Any, ...]:
        """Return the positions on the way to this one, itself last; `ArbitreError` where the game has options that forbid it."""
        notation = notation_of(game)
        found = [notation.read_state(self.text) if self.text else game.start()]
        for said in self.line.split():
            moves = {}
            for seat, text in zip(seats_to_move(game, found[-1]), said.split("&"), strict=True):
                view = game.view(found[-1], seat)
                moves[seat] = notation.read(text, view)
                game.check(view, moves[seat])
            found.append(game.play(found[-1], moves))
        return tuple(found)


def seats_to_move(game: AnyGame, state: Any) -> tuple[Seat, ...]:
    """Return who is to move, in order; nobody where nature is, or where the game is over."""
    phase = game.phase(state)
    return tuple(sorted(phase.seats)) if isinstance(phase, Awaits) else ()


FLEETS = "V5I21V4H01H3A31V3B71V2E01&V5F01V4E61V3J01V3J51H2C31"

PRESETS: Mapping[str, tuple[Preset, ...]] = {
    "tictactoe": (
        Preset("start"),
        Preset("middle", line="5 1 3"),
        Preset("win", line="1 5 2 4"),
        Preset("block", line="1 5 2"),
        Preset("end", line="5 1 2 8 3 7 4 6"),
    ),
    "rochambeau": (
        Preset("start"),
        Preset("middle", line="rock&paper rock&paper paper&rock"),
        Preset("tie", line="rock&rock"),
        Preset("end", "4,4 11 rock,scissors 9"),
    ),
    "bigtictactoe": (
        Preset("start"),
        Preset("middle", line="A0 A4 D1 A2 C1 A6 A3 A7 D2 D4 F1 A5 A8 G1 E1 B1 F2 E2 F4 F3 E3 G5 B0 C4 G3 D5 H4 I5 D0 E4"),
        Preset("win", line="D3 D4 E3 E4 F3 F4 G3 G4"),
        Preset("block", line="D3 A0 E3 J9 F3 A9 G3"),
        Preset(
            "end",
            line="A0 A4 D1 A2 C1 A6 A3 A7 D2 D4 F1 A5 A8 G1 E1 B1 F2 E2 F4 F3 E3 G5 B0 C4 G3 D5 H4 I5 D0 E4 B4 C6 G2 B7 C0 E0 "
            "E5 E6 B3 D6 B6 D7 D3 C3 D8 C5 C7 C2 E8 C8 F5 G8 F7 G6 F6 F8 H2 I1 G7 H8 J2 I2 I4 H5 H3 J5 G4 J4 H1 H0 J7 I8 J8 E7 "
            "G9 I6 I7 H7 F9 H9 H6 C9 B5 B2 G0 D9 J6 J1 I3 B9 E9 J0 B8 A1 A9 F0 I0 J3",
        ),
    ),
    "pente": (
        Preset("start"),
        Preset("barred", line="JJ JK"),
        Preset("middle", line="JJ JK GJ KK LK KJ IK JK HL"),
        Preset("capture", line="JJ JK GJ JL JM AA"),
        Preset("win", line="JJ JK GJ KK LK KJ IK JK HL LI GM KI"),
    ),
    "reversi": (
        Preset("start"),
        Preset("middle", line="D3 C5 E6 D2 C6 F5 G4 B7 B5 D6 E7 E8 D1 B4 A8 A5 F6 G5 G6 D7 B6 B8 A4 H6 D8"),
        Preset("pass", "4044400004040030444333000403300040333000000330000030000000000000 21"),
        Preset(
            "end",
            line="D3 C5 E6 D2 C6 F5 G4 B7 B5 D6 E7 E8 D1 B4 A8 A5 F6 G5 G6 D7 B6 B8 A4 H6 D8 F3 G2 G3 G7 H8 C4 B3 B2 G1 F7 A6 "
            "H5 C3 A3 B1 C2 A2 A1 H7 A7 F8 G8 C8 H1 E2 C7 F4 E3 H4 E1 F1 H3",
        ),
    ),
    "mastermind": (
        Preset("start"),
        Preset("first", line="CBFA&ECAE"),
        Preset("middle", "CBFA,ECAE 10ADAA01FHED02BACG20EAAB***02DGAB02HAGC12BEFC 10"),
        Preset("end", "CBFA,ECAE 10ADAA01FHED02BACG20EAAB10DCGF11FCHA11AFGE***02DGAB02HAGC12BEFC02FDCE01BEEH01DGBD11HCFE 17"),
    ),
    "seafight": (
        Preset("start"),
        Preset("first", line=FLEETS),
        Preset("middle", line=f"{FLEETS} F2 A0 F3 J9 G3 E5 F1 E6 F0 E7 B2 D7"),
        Preset(
            "end",
            "V5I22V4H03H3A32V3B73V2E03,V5F03V4E62V3J03V3J53H2C33 "
            "1111131113111113111311111311131133131111111113111100111111131111011113111021111301112110111110211111***"
            "1101311311111131131111111003202201111321111111110111111111211111101121131111111113111111111311111011 188",
        ),
    ),
    "poker": (
        Preset("start", "01001C9SJH3D7M1-2 0 - 1"),
        Preset("raise", "01002C4HAHJSTM83-?2 0 - 2"),
        Preset("middle", "01003C4HAHJSTC7D3C5M8-8M8-8 0 - 4"),
        Preset("river", "01008C4HAHJSTC7D3C5DTD7M8-8M20-20M30-30M?30-60 0 - 9"),
    ),
    "draughts": (
        Preset("start"),
        Preset(
            "middle",
            line="31-26 19-24 37-31 24-29 34x23 18x29 33x24 20x29 40-34 29x40 45x34 13-18 34-30 14-19 31-27 18-22 27x18 12x23 "
            "30-24 19x30 35x24 8-12 39-34 9-13",
        ),
        Preset("captures", "W:W27,28,31,33,34,35,37,38,39,40,41,42,44,46,49:B1,4,5,6,7,9,12,13,15,16,22,24,26 49"),
        Preset("choices", "W:WK4,24,39,44,45,46,48,49,50:B1,6,7,8,9,12,14,18,21,22,38 47"),
        Preset("promotion", "W:W7,28,33,39:B16,18,24,36 61"),
        Preset("end", "B:W17,27,31,34,44,45:B15,19,K48 92"),
    ),
    "kriegspiel": (
        Preset("start"),
        Preset("middle", line="e2e4 e7e5 g1f3 b8c6 f1c4 g8f6"),
        Preset("check", line="e2e4 d7d5 f1b5"),
        Preset("promotion", "8/4P3/8/2k5/8/8/4K3/8 w - - 0 61"),
        Preset("end", "8/8/8/4k3/8/8/3QK3/8 w - - 0 71"),
    ),
}
"""By the game's identifier."""

UNKNOWN = (Preset("start"),)
"""Of a game that somebody added nothing is known but its start."""


def presets_of(label: str) -> tuple[Preset, ...]:
    """Return the presets of a game, by its name or its label."""
    return UNKNOWN if key_of(label) else PRESETS.get(label, ())


def preset_of(name: str, key: str) -> Preset | None:
    """Return a preset of a game by its key."""
    return next((one for one in presets_of(name) if one.key == key), None)
