"""A first bot in plain Python: it says one of the legal moves that the referee lists."""

import random
import sys

for line in sys.stdin:
    word, *words = line.split()
    if word == "hello":
        print("hello 2 plain", flush=True)
    elif word == "position":
        print("I see", *words, file=sys.stderr)
    elif word == "ask":
        turn, milliseconds, head, *moves = words
        print("move", random.choice(moves), flush=True)
