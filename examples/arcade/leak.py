"""The Legendre leak: what a commitment under the course's encoding tells before it is opened.

The course hides the octets of a word m in c = m·h^k modulo p. Modulo Oakley's prime g = 2 is a square, so h and h^k are squares,
and c is a square exactly when m is. PIERRE and CISEAUX are no squares, FEUILLE is: one Jacobi symbol tells them apart. Whoever
sees +1 shows CISEAUX and wins; whoever sees −1 shows PIERRE and wins or ties. The secure encoding hides g, g² or g³, all squares.
"""

import gmpy2

from arbitre.arcade.bout import Bout
from arbitre.arcade.wire import Sign


def answer(bout: Bout) -> Sign:
    """Return the sign that never loses against the commitment on the table."""
    assert bout.commitment is not None
    square = gmpy2.jacobi(bout.commitment.c, bout.lock(bout.starter).group.p) == 1
    return Sign.CISEAUX if square else Sign.PIERRE
