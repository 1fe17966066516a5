"""Competitions: announced, entered, drawn, played through the arena, judged offline."""
