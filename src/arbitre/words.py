"""French and English: catalogues of gettext, read when somebody is spoken to (spec: tournoyons, section 7).

The words in templates and in Python are English and are their own keys; the files `locale/fr/LC_MESSAGES/*.po`, one for each
part, hold the French. `tools/messages` finds new words; a test says which of them still lack a translation. The English
catalogue exists for what would differ from its key; it may be empty.
"""

import io
import re
from collections.abc import Iterable, Mapping
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Protocol

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from arbitre.sayings import FIELDS, WORDS, Sayings

LANGUAGES: Mapping[str, str] = {"en": "English", "fr": "Français"}
"""Each language by its own name."""

DEFAULT = "en"
SAID = "said.po"
"""The catalogue of what the rooms below say."""
LONGEST_SAID = 1_000
FOLDER = Path(__file__).parent / "locale"
GLUED = re.compile(r"(?<=\S) (?=[:;?!»])|(?<=«) ")
"""The spaces of French at which no line may break."""


class _Speaks(Protocol):
    def gettext(self, message: str) -> str: ...

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str: ...


class Words:
    """The words of one language; called with an English text, it returns the text to show."""

    def __init__(self, language: str, catalogue: _Speaks, sayings: Sayings | None = None) -> None:
        self.language = language
        self.catalogue = catalogue
        self._sayings = sayings or Sayings({})

    def __call__(self, text: str, **parts: object) -> str:
        """Return a text in this language, its `%(name)s` filled in."""
        found = self.catalogue.gettext(text)
        return found % parts if parts else found

    def said(self, what: object) -> str:
        """Return what a room below said, an error or a text of a record, in this language where it is known."""
        return self._sayings.say(str(what)[:LONGEST_SAID])

    def number(self, one: str, many: str, count: int, **parts: object) -> str:
        """Return the text for so many; `%(count)s` is the number."""
        return self.catalogue.ngettext(one, many, count) % {"count": count, **parts}


@cache
def words(language: str) -> Words:
    """Return the words of a language, English where it is not known."""
    code = language if language in LANGUAGES else DEFAULT
    catalogue, said = Catalog(locale=code), dict[str, str]()
    for path in sorted((FOLDER / code / "LC_MESSAGES").glob("*.po")):
        with path.open("rb") as file:
            for message in read_po(file, locale=code):
                if message.id:
                    if code == "fr" and path.name != SAID:  # sayings are matched word by word
                        message.string = _glued(message.string)
                    catalogue[message.id] = message
                    if path.name == SAID and isinstance(message.id, str) and isinstance(message.string, str):
                        said[message.id] = message.string
    for text in (*WORDS, *FIELDS):  # pages may have these words too, and mean another thing by them
        if text not in said and (word := catalogue.get(text)) is not None and isinstance(word.string, str):
            said[text] = word.string
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Words(code, GNUTranslations(compiled), Sayings(said))


def _glued(text: str | list[str] | tuple[str, ...] | None) -> str | tuple[str, ...]:
    if text is None or isinstance(text, str):
        return GLUED.sub("\N{NO-BREAK SPACE}", text or "")
    return tuple(GLUED.sub("\N{NO-BREAK SPACE}", one) for one in text)


def preferred(accepted: str, languages: Iterable[str] = LANGUAGES) -> str:
    """Return the language that an Accept-Language header likes best among ours."""
    known = tuple(languages)
    best, most = DEFAULT, 0.0
    for part in accepted[:500].split(","):
        tag, _, rest = part.strip().partition(";")
        code = tag.strip().lower().partition("-")[0]
        if code in known and (weight := _weight(rest)) > most:
            best, most = code, weight
    return best


def _weight(text: str) -> float:
    key, _, number = text.strip().partition("=")
    try:
        return min(float(number), 1.0) if key.strip() == "q" else 1.0
    except ValueError:
        return 0.0
