"""Which language the person reads: French or English, as the environment says."""

import os
from typing import Literal

Language = Literal["en", "fr"]


def language() -> Language:
    """Return the first of the environment's wishes that we can fulfil, English failing that."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for wish in os.environ.get(name, "").split(":"):
            if wish[:2] in ("en", "fr"):
                return "fr" if wish.startswith("fr") else "en"
            if wish:
                return "en"
    return "en"
