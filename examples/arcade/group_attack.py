"""The GROUP attack on Facile: one commitment that opens to every sign.

    python group_attack.py localhost:3232 Facile

Facile takes any group. Modulo p = 101 with g = 1 every exponent k has the same r = 1, so r binds nothing; and 2 generates
everything modulo 101, so for each word m there is a k with m·2^k = c. The machine answers, and only then we choose what we have
committed to. Normal and Difficile refuse a modulus of seven bits; Nightmare knows no GROUP.
"""

import sys
from typing import ClassVar

from cheat import Cheat, attack
from gmpy2 import mpz

from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Commitment
from arbitre.crypto.groups import Group

P, H, C = 101, 2, 1


class Chameleon(Cheat):
    group = Group(mpz(P), mpz(1), mpz(1))
    h = mpz(H)
    commitment = Commitment(mpz(1), mpz(C))
    openings: ClassVar = {sign: mpz(next(k for k in range(1, P) if sign.code * H**k % P == C)) for sign in Sign}


if __name__ == "__main__":
    sys.exit(attack(Chameleon, sys.argv[1:]))
