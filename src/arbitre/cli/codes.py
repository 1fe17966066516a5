"""The rooms whose codes enter records: who tells what a record holds loads their words first."""

from importlib import import_module

ROOMS = (
    "transport.process", "transport.stdio", "transport.http", "tournoyons.player", "tournoyons.referee", "tournoyons.gateway",
    "tournoyons.external", "site.arena.arena", "site.arena.seats", "site.arena.dial_player", "site.arena.plan", "cli.play",
)  # fmt: skip


def load() -> None:
    """Load the words of every code that a referee of ours may have written; those of a game come with the game."""
    for room in ROOMS:
        import_module(f"arbitre.{room}")
