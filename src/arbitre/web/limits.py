"""Time limits in the visitor's words."""

from arbitre.referee.clock import Clock
from arbitre.words import Words


def limit_in(words: Words, clock: Clock) -> str:
    """Say how much time players have."""
    if not clock.runs:
        return words("no limit")
    if clock.kind == "move":
        return words("%(time)s a move", time=_span(clock.bank))
    if clock.increment:
        return words("%(time)s + %(more)s each", time=_span(clock.bank), more=_span(clock.increment))
    return words("%(time)s each", time=_span(clock.bank))


def _span(milliseconds: int) -> str:
    """Return a span of time in the largest unit that counts it in whole numbers; the signs are those of both languages."""
    for size, sign in ((3_600_000, "h"), (60_000, "min"), (1_000, "s")):
        if milliseconds % size == 0:
            return f"{milliseconds // size}\N{NO-BREAK SPACE}{sign}"
    return f"{milliseconds}\N{NO-BREAK SPACE}ms"
