"""The attack on Normal: the Legendre leak against its commitments, and a group of two elements for ours.

    python legendre_attack.py localhost:3232 Normal

Normal wants a long modulus and g^q = 1, as the course does, and looks no further. `GROUP p14 p−1 2` is such a group, with two
elements: all even exponents have r = 1. With h = √(PIERRE/CISEAUX) the commitment c = PIERRE·h² is also CISEAUX·h⁴, so FEUILLE
and CISEAUX lose against us and PIERRE ties. When the machine commits, the leak tells enough never to lose. Difficile refuses the
generator p − 1 and hides signs in the group, where there is nothing to see; Nightmare knows no GROUP.
"""

import sys
from typing import ClassVar

import gmpy2
from cheat import Cheat, attack
from gmpy2 import mpz

from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Commitment
from arbitre.crypto.groups import Group, oakley

p = oakley(14).p
ratio = Sign.PIERRE.code * gmpy2.invert(Sign.CISEAUX.code, p) % p
root = gmpy2.powmod(ratio, (p + 1) // 4, p)  # p is 3 modulo 4, so this is a square root


class TwoFaced(Cheat):
    group = Group(p, p - 1, mpz(2))
    h = root
    commitment = Commitment(mpz(1), Sign.PIERRE.code * root**2 % p)
    openings: ClassVar = {Sign.PIERRE: mpz(2), Sign.CISEAUX: mpz(4)}


if __name__ == "__main__":
    sys.exit(attack(TwoFaced, sys.argv[1:]))
