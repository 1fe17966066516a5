"""Which language the person reads: French or English, as the call says, or else the environment."""

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

Language = Literal["en", "fr"]

OPTION = "--language"
_asked: list[Language] = []
"""What this call asks for, known before its command is: its help and what is wrong with it are said in that language too."""


def choose(arguments: Sequence[str]) -> None:
    """Take the language that a call asks for by its option, whichever command it is of."""
    _asked.clear()
    for one, after in pairwise((*arguments, "")):
        wish = after if one == OPTION else one.partition(f"{OPTION}=")[2]
        if wish == "fr":
            _asked[:] = ["fr"]
        elif wish == "en":
            _asked[:] = ["en"]


def language() -> Language:
    """Return what this call asks for, else the first of the environment's wishes that we can fulfil, English failing that."""
    if _asked:
        return _asked[0]
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for wish in os.environ.get(name, "").split(":"):
            if wish[:2] in ("en", "fr"):
                return "fr" if wish.startswith("fr") else "en"
            if wish:
                return "en"
    return "en"
