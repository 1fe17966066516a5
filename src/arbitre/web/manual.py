"""The manual as it is written: the pages of `docs/` by language, and those of games that are in no manual.

`docs` beside this module is a link to the folder of the checkout; a package that is built from it holds the pages themselves.
"""

from functools import cache
from pathlib import Path

from arbitre.games.catalogue import folder, listings
from arbitre.web.sheet_of_game import sheet_of
from arbitre.words import DEFAULT, LANGUAGES

FOLDER = Path(__file__).parent / "docs"


@cache
def pages(language: str = DEFAULT) -> dict[str, Path]:
    """Return the pages of the manual in one language by name; every page is there in English."""
    others = set(LANGUAGES) - {DEFAULT}
    root = FOLDER if language == DEFAULT else FOLDER / language
    found = {str(path.relative_to(root).with_suffix("")): path for path in sorted(root.rglob("*.md"))}
    return {name: path for name, path in found.items() if language != DEFAULT or name.partition("/")[0] not in others}


@cache
def games(language: str = DEFAULT) -> dict[str, str]:
    """Return the pages of games that the manual has none of: those that they bring, and others that are made for them."""
    others = {f"games/{one.name}": one for one in listings() if f"games/{one.name}" not in pages()}
    return {
        name: folder(one.manual[language]).read_text(encoding="utf-8") if language in one.manual else sheet_of(one, language)
        for name, one in others.items()
        if language in one.manual or not one.manual
    }


def known(name: str, language: str = DEFAULT) -> bool:
    """Tell whether there is a page in a language."""
    return name in pages(language) or name in games(language)


def spoken(name: str, language: str) -> str:
    """Return the language in which a page is shown to somebody who would like this one."""
    return language if known(name, language) else DEFAULT


def text_of(name: str, language: str = DEFAULT) -> str:
    """Return a page in Markdown, as it is written in a language that has it."""
    file = pages(language).get(name)
    return games(language)[name] if file is None else file.read_text(encoding="utf-8")
