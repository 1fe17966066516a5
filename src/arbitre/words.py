"""French and English: catalogues of gettext, read when somebody is spoken to (spec: tournoyons, section 7).

The words in templates and in Python are English and are their own keys; the files `locale/fr/LC_MESSAGES/*.po`, one for each
part, hold the French. `tools/messages` finds new words; a test says which of them still lack a translation. The English
catalogue exists for what would differ from its key; it may be empty.
"""

import io
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Protocol

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from arbitre import reasons
from arbitre.reasons import N_, Reason, reason_of

LANGUAGES: Mapping[str, str] = {"en": "English", "fr": "Français"}
"""Each language by its own name."""

DEFAULT = "en"
FOLDER = Path(__file__).parent / "locale"
GLUED = re.compile(r"(?<=\S) (?=[:;?!»])|(?<=«) ")
"""The spaces of French at which no line may break."""


NOUNS = (
    N_("illegal-move"), N_("protocol-error"), N_("out-of-time"), N_("disconnected"), N_("resigned"), N_("adjudicated"),
    N_("refused"), N_("rules"), N_("abandoned"), N_("referee-failed"), N_("agreed"), N_("not-played"),
    N_("name"), N_("password"), N_("game"), N_("role"), N_("class"), N_("reason"),
    N_("board"), N_("match"), N_("seat"), N_("about"), N_("access"), N_("begins"), N_("each"), N_("expires"), N_("gateway"),
    N_("lines"), N_("login"), N_("plan"), N_("position"), N_("quota"), N_("ranges"), N_("scopes"), N_("starts"), N_("title"),
    N_("url"),
    N_("proposed"), N_("withdrawn"), N_("open"),
    N_("datagram"), N_("listing"), N_("packet"), N_("verdict"), N_("welcome"),
    N_("Permission denied"), N_("No such file or directory"), N_("Is a directory"), N_("Not a directory"), N_("File exists"),
    N_("No space left on device"), N_("Read-only file system"), N_("Operation not permitted"), N_("File name too long"),
    N_("Too many open files"), N_("Input/output error"), N_("Disk quota exceeded"), N_("Address already in use"),
    N_("Cannot assign requested address"), N_("Connection refused"), N_("Connection reset by peer"), N_("Connection timed out"),
    N_("No route to host"), N_("Network is unreachable"), N_("Broken pipe"),
)  # fmt: skip
"""Values that are words in some sentences: how a match can stop, what forms call their fields, where a challenge or a competition
is, what octets of an election were to be, and what systems say."""


class _Speaks(Protocol):
    def gettext(self, message: str) -> str: ...

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str: ...


class Words:
    """The words of one language; called with an English text, it returns the text to show."""

    def __init__(self, language: str, catalogue: _Speaks) -> None:
        self.language = language
        self.catalogue = catalogue

    def __call__(self, text: str, **parts: object) -> str:
        """Return a text in this language, its `%(name)s` filled in."""
        found = self.catalogue.gettext(text)
        return found % parts if parts else found

    def of(self, what: object) -> str:
        """Return what a reason, an error or a word of ours says in this language; another's text as it is, None as nothing."""
        return "" if what is None else str(self._field(what))

    def _field(self, field: object) -> object:
        """Return a field as the sentence around it takes it: texts and numbers as they are, whatever has words in words."""
        if (reason := reason_of(field)) is not None:
            template = declared(reason.code, self.language) or (self.catalogue.gettext(reason.code) if reason.code else "")
            return reasons.fill(template, {name: self._field(one) for name, one in reason.fields.items()})
        if isinstance(field, Enum):
            return self.catalogue.gettext(str(field.value))
        return "; ".join(dict.fromkeys(map(self.of, field))) if isinstance(field, tuple) else field

    def number(self, one: str, many: str, count: int, **parts: object) -> str:
        """Return the text for so many; `%(count)s` is the number."""
        return self.catalogue.ngettext(one, many, count) % {"count": count, **parts}


@cache
def words(language: str) -> Words:
    """Return the words of a language, English where it is not known."""
    code = language if language in LANGUAGES else DEFAULT
    catalogue = Catalog(locale=code)
    for path in sorted((FOLDER / code / "LC_MESSAGES").glob("*.po")):
        with path.open("rb") as file:
            for message in read_po(file, locale=code):
                if message.id:
                    if code == "fr":
                        message.string = _glued(message.string)
                    catalogue[message.id] = message
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Words(code, GNUTranslations(compiled))


def declared(code: str, language: str) -> str | None:
    """Return the words that were declared for a code, as they are set in this language; None for a sentence."""
    template = Reason(code).template(language)
    return template if template is None or language != "fr" else GLUED.sub("\N{NO-BREAK SPACE}", template)


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
