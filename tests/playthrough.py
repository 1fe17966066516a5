"""The golden playthrough of each game: one random game told so that a person can check it against the rules.

`make playthroughs` writes them anew; the tests compare. A change of a playthrough is a change of the rules, and shows as such
in a review.
"""

from pathlib import Path
from random import Random

from arbitre.games.catalogue import game, options_of
from arbitre.games.game import AnyGame, Awaits, Outcome, Seat, playout
from arbitre.games.notation import notation_of
from tests.games.conformance import parts
from tests.house import HOUSE

FOLDER = Path(__file__).parent / "games"
SEED = 2013
NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def golden(name: str) -> Path:
    """Return where the playthrough of a game lies."""
    return FOLDER / name / "playthrough.txt"


def story(table: AnyGame, most: int = 40) -> str:
    """Tell one game: the first turns with pictures and what each eye sees, then every tenth, then the end."""
    text = notation_of(table)
    told = [f"# {table.name} {options_of(table) or ''}".rstrip(), ""]
    shown = 0
    skipped = 0
    state = table.start()
    for step in playout(table, Random(SEED)):
        phase = table.phase(step.before)
        state = step.after
        if shown >= most:
            skipped += 1
            continue
        if step.drawn is not None:
            told.append(f"nature draws {step.drawn}")
            continue
        assert isinstance(phase, Awaits)
        shown += 1
        for seat, move in sorted(step.moves.items()):
            hidden = " (kept secret)" if table.secret(step.before, seat) else ""
            told.append(f"turn {phase.turn}, {NAMES[seat]}: {text.write(move)}{hidden}")
        told.append(f"    {text.write_state(step.after)}")
        if shown <= 6 or shown % 10 == 0:
            told += [f"    {line}".rstrip() for line in text.picture(table.view(step.after, "referee")).split("\n")]
            if table.view(step.after, "spectator") != step.after:
                told += [f"    {NAMES[n]} sees {text.write_view(table.view(step.after, Seat(n)))}" for n in range(table.seats)]
                told.append(f"    others see {text.write_view(table.view(step.after, 'spectator'))}")
    end = table.phase(state)
    assert isinstance(end, Outcome)
    if skipped:
        told += ["", f"… {skipped} more transitions …", ""]
    told += [f"    {text.write_state(state)}"]
    told += [f"    {line}".rstrip() for line in text.picture(table.view(state, "referee")).split("\n")]
    scores = " – ".join(str(score) for score in end.scores)
    tally = f", tally {' – '.join(map(str, end.tally))}" if end.tally else ""
    told.append(f"the end: {scores}, {end.reason}{tally}")
    return "\n".join(told) + "\n"


def chapters(name: str) -> str:
    """Return the playthrough of a game under each of its presets."""
    presets = parts(name).PRESETS
    return "\n".join(story(game(name, preset), 40 if not preset else 12) for preset in presets)


if __name__ == "__main__":
    for one in HOUSE:
        golden(one).write_text(chapters(one), encoding="utf-8")
        print(golden(one))
