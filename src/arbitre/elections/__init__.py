"""M-party, N-state Rochambeau: a group that trusts nobody picks one of its members (seed 003, spec rochambeau).

Nothing here reads a clock, a socket or chance. In reading order:

=============  ==========================================================================================
`terms`        what is agreed on before the first Commit
`payload`      Commit and Reveal, octet by octet, and the law about one party
`verdict`      who won, as a pure function of the set of Commits and Reveals
`transcript`   a whole election in a file, as JSON lines or compact
`bulk`         the same verdict on transcripts of millions, in bounded memory
`lots`         seats, colours, seedings and draws from the contestants' own Commits
`trial`        fairness and attacks, measured
`item`         what parties say to each other, signed in strong mode
`party`        one party of a live election, as a state machine
`repeat`       reliable broadcast over datagrams that get lost
=============  ==========================================================================================
"""

from arbitre.elections.payload import (
    Contestant,
    Excluded,
    Fault,
    Opening,
    judge,
    new_opening,
    write_commit,
    write_reveal,
)
from arbitre.elections.terms import Mode, Terms, check_name
from arbitre.elections.verdict import Line, Round, Verdict, settle

__all__ = [
    "Contestant",
    "Excluded",
    "Fault",
    "Line",
    "Mode",
    "Opening",
    "Round",
    "Terms",
    "Verdict",
    "check_name",
    "judge",
    "new_opening",
    "settle",
    "write_commit",
    "write_reveal",
]
