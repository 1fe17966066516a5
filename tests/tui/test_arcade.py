"""The arcade machine as a person meets it: every screen, every key, in 80×24, and the record of each match."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path

import pytest
from textual.pilot import Pilot

from arbitre.arcade.bout import Ending
from arbitre.arcade.fame import hall_of_fame
from arbitre.arcade.terms import LEVELS
from arbitre.arcade.voice import Language, level_word
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from arbitre.tui.arcade import Attract, Cabinet, Duel, Hall

Script = Callable[["Pilot[None]", Cabinet], Awaitable[None]]


def screen(cabinet: Cabinet) -> str:
    """Return what is on the screen, as text."""
    strips = cabinet.screen._compositor.render_strips(cabinet.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def at(cabinet: Cabinet, script: Script, lines: int = 24) -> None:
    async def main() -> None:
        async with cabinet.run_test(size=(80, lines)) as pilot:
            await pilot.pause()
            await script(pilot, cabinet)

    asyncio.run(main())


def duel(cabinet: Cabinet) -> Duel:
    assert isinstance(cabinet.screen, Duel)
    return cabinet.screen


async def until(pilot: "Pilot[None]", condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await pilot.pause(0.01)


async def throw(pilot: "Pilot[None]", cabinet: Cabinet, keys: str) -> None:
    """Throw signs, each when it is waited for, until the match is over."""
    for key in keys:
        await until(pilot, lambda: duel(cabinet).ready or duel(cabinet).ledger.over)
        if duel(cabinet).ledger.over:
            return
        await pilot.press(key)


def test_a_match_from_the_coin_to_the_seal(tmp_path: Path) -> None:
    async def script(pilot: "Pilot[None]", cabinet: Cabinet) -> None:
        assert isinstance(cabinet.screen, Attract)
        assert "press Enter to play" in screen(cabinet)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(cabinet.screen, Duel) and duel(cabinet).ready)
        assert "you commit first" in screen(cabinet)
        await pilot.press("R")
        await until(pilot, lambda: duel(cabinet).ready)
        shown = screen(cabinet)
        assert "the machine has committed: R, P or S" in shown
        assert "1 COMMIT   machine" in shown
        assert "round 0: " in shown
        await throw(pilot, cabinet, "rps" * 60)
        await until(pilot, lambda: "seal" in screen(cabinet))
        assert duel(cabinet).ledger.bout.finish is not None
        shown = screen(cabinet)
        assert "5 CHECK" in shown
        assert "r = g^k ✓  c = E(m)·h^k ✓" in shown
        assert "Enter: again" in shown
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(cabinet.screen, Duel) and duel(cabinet).ready)
        assert duel(cabinet).ledger.bout.round == 0

    at(Cabinet(tmp_path, name="Ada", pace=0, patience=0.01, goal=3), script)
    store = Store(tmp_path)
    (row,) = store.matches()
    found = verify(store.record(row.name).text().encode(), keys=[store.key().fingerprint])
    store.close()
    assert found.standing is Proof.VERIFIED
    assert "Ada – machine" in found.line


def test_the_referee_is_called(tmp_path: Path) -> None:
    async def script(pilot: "Pilot[None]", cabinet: Cabinet) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(cabinet.screen, Duel) and duel(cabinet).ready)
        await pilot.press("r")  # nothing to rule about yet
        await pilot.press("p")
        await until(pilot, lambda: duel(cabinet).ready)
        await pilot.press("f")
        await until(pilot, lambda: duel(cabinet)._ruling and not duel(cabinet)._news)
        assert "J saisit l'arbitre" in screen(cabinet)
        await pilot.press("J")
        await until(pilot, lambda: "accuse à tort" in screen(cabinet))
        assert duel(cabinet).ledger.bout.scores[0] in (-3, -2, -1)

    at(Cabinet(tmp_path, language="fr", pace=0.02, patience=30), script)


def test_leaving_is_a_forfeit(tmp_path: Path) -> None:
    async def script(pilot: "Pilot[None]", cabinet: Cabinet) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(cabinet.screen, Duel) and duel(cabinet).ready)
        ledger = duel(cabinet).ledger
        await pilot.press("q")
        await until(pilot, lambda: isinstance(cabinet.screen, Attract))
        assert ledger.bout.finish is not None
        assert ledger.bout.finish.ending is Ending.GONE
        await pilot.press("q")

    at(Cabinet(tmp_path, pace=0, patience=0.01), script)


@pytest.mark.parametrize(
    ("level", "about"), [("Facile", "vulnerable"), ("Normal", "vulnerable"), ("Nightmare", "GROUP disabled")]
)
def test_levels_are_chosen_and_marked(level: str, about: str, tmp_path: Path) -> None:
    async def script(pilot: "Pilot[None]", cabinet: Cabinet) -> None:
        await pilot.press(str(list(LEVELS).index(level) + 1))
        assert cabinet.level == level
        await pilot.pause()
        assert about in screen(cabinet)
        await pilot.press("left", "right", "right")
        assert cabinet.level == [*LEVELS, *LEVELS][list(LEVELS).index(level) + 1]
        await pilot.press("left", "enter")
        await until(pilot, lambda: isinstance(cabinet.screen, Duel) and duel(cabinet).ready)
        assert f"ARCADE · {level_word(level, 'en')}" in screen(cabinet)

    at(Cabinet(tmp_path, pace=0, patience=0.01), script)


def test_the_hall_of_fame_shows_who_won(tmp_path: Path) -> None:
    async def script(pilot: "Pilot[None]", cabinet: Cabinet) -> None:
        await pilot.press("h")
        await until(pilot, lambda: isinstance(cabinet.screen, Hall))
        assert "nobody has beaten the machine yet" in screen(cabinet)
        await pilot.press("escape", "1")
        for _ in range(12):
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(cabinet.screen, Duel) and duel(cabinet).ready)
            await throw(pilot, cabinet, "rps" * 60)
            await until(pilot, lambda: duel(cabinet).sealed and not duel(cabinet)._news)
            finish = duel(cabinet).ledger.bout.finish
            if finish is not None and finish.winner == 0:
                break
        await until(pilot, lambda: "seal" in screen(cabinet))
        await pilot.press("h")
        await until(pilot, lambda: isinstance(cabinet.screen, Hall))
        assert " 1  Easy        Ada " in screen(cabinet)

    at(Cabinet(tmp_path, name="Ada", pace=0, patience=0.01, goal=1), script)
    store = Store(tmp_path)
    assert hall_of_fame(store)[0].name == "Ada"
    store.close()


SPOKEN = {
    "en": (["player", "Easy", "Hard", "ROCK", "PAPER", "SCISSORS"], "rps", "j"),
    "fr": (["joueur", "Facile", "Difficile", "PIERRE", "FEUILLE", "CISEAUX"], "pfc", "r"),
}


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_machine_speaks_one_language_and_the_wire_french(language: Language, tmp_path: Path) -> None:
    """Names, levels, signs and keys are the reader's; what is said on the wire is shown as it is said."""
    words, keys, referee = SPOKEN[language]
    others, other_keys, _ = SPOKEN["fr" if language == "en" else "en"]

    async def script(pilot: "Pilot[None]", cabinet: Cabinet) -> None:
        said = screen(cabinet)
        await pilot.press("enter")
        for key in keys:
            await until(pilot, lambda: isinstance(cabinet.screen, Duel) and duel(cabinet).ready)
            said += screen(cabinet)
            for wrong in set(other_keys) - set(keys) - {referee}:
                await pilot.press(wrong)
            await pilot.press(key)
        await until(pilot, lambda: duel(cabinet).ready)
        said += screen(cabinet)
        assert [throw.mine.name for throw in duel(cabinet).person.past] == ["PIERRE", "FEUILLE", "CISEAUX"]
        wire = [line for line in said.splitlines() if " MOVE " in line]
        spoken = "\n".join(line for line in said.splitlines() if line not in wire)
        assert all(word in spoken for word in words)
        assert not [word for word in others if word in spoken]
        assert all(line.split()[-1] in ("PIERRE", "FEUILLE", "CISEAUX") for line in wire)

    at(Cabinet(tmp_path, language=language, pace=0, patience=0.01), script)


def test_a_tall_terminal_is_filled(tmp_path: Path) -> None:
    """Pictures are twice as large, and what waits for somebody stands over the whole height."""

    async def script(pilot: "Pilot[None]", cabinet: Cabinet) -> None:
        rows = [number for number, line in enumerate(screen(cabinet).splitlines()) if line.strip()]
        gaps = [after - before for before, after in pairwise([0, *rows])]
        assert max(gaps) <= 60 // 4, "no quarter of the window is empty"
        assert rows[-1] == 59
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(cabinet.screen, Duel) and duel(cabinet).ready)
        await pilot.press("r")
        await until(pilot, lambda: duel(cabinet).ready)
        assert "╔" + "═" * 18 + "╗" in screen(cabinet)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "╔" + "═" * 8 + "╗" in screen(cabinet))

    at(Cabinet(tmp_path, pace=0, patience=0.01), script, lines=60)


def test_names_are_not_markup(tmp_path: Path) -> None:
    cabinet = Cabinet(tmp_path, name="[red]Ada[/]")
    assert cabinet.person == "redAda/"
    cabinet.store.close()
