"""Search in the manual: every part of every page, found by the words in it, the best first.

The index is made once for each language, of the pages that the site brings and of nothing else, so its size is theirs. Words are
compared without capitals and accents, by their beginnings; all of them must be in a part, or in its headings, which count more.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from arbitre.values import value

MOST_WORDS = 8
MOST_FOUND = 30
LONGEST_EXCERPT = 220
HEADING_COUNTS = 8
WORD = re.compile(r"\w+")


@value
class Part:
    """A part of a page: what stands below one heading."""

    page: str
    title: str
    anchor: str
    heading: str
    text: str
    folded: str
    """Heading and text without capitals and accents, with the same number of characters as both."""

    @property
    def href(self) -> str:
        """Where it is, below the manual."""
        return f"{self.page}#{self.anchor}" if self.anchor else self.page


@value
class Found:
    """A part in which all words are."""

    part: Part
    excerpt: Markup


class _Folding(dict[int, str]):
    """Every character without capital and accent, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = unicodedata.normalize("NFD", chr(code))[0].lower()[0]
        return self[code]


FOLDING = _Folding()


def fold(text: str) -> str:
    """Return a text without capitals and accents, each character for itself, so that places stay the same."""
    return text.translate(FOLDING)


def part_of(page: str, title: str, anchor: str, heading: str, texts: Iterable[str]) -> Part:
    """Return a part for the index."""
    text = " ".join(" ".join(texts).split())
    return Part(page, title, anchor, heading, text, fold(f"{heading} {text}"))


def search(index: Sequence[Part], asked: str) -> list[Found]:
    """Return the parts that have all words, the best first."""
    words = list(dict.fromkeys(WORD.findall(fold(asked))))[:MOST_WORDS]
    if not words:
        return []
    patterns = [re.compile(rf"\b{re.escape(word)}") for word in words]
    scored = []
    for at, part in enumerate(index):
        counts = [len(pattern.findall(part.folded)) for pattern in patterns]
        if not all(counts):
            titles = fold(f"{part.title} {part.heading}")
            counts = [count or bool(pattern.search(titles)) for count, pattern in zip(counts, patterns, strict=True)]
            if not all(counts):
                continue
        heads = sum(bool(pattern.search(fold(part.heading))) for pattern in patterns)
        scored.append((-HEADING_COUNTS * heads - sum(min(count, 4) for count in counts), at, part))
    return [Found(part, _excerpt(part, patterns)) for _, _, part in sorted(scored)[:MOST_FOUND]]


def _excerpt(part: Part, patterns: Sequence[re.Pattern[str]]) -> Markup:
    """Return some of the text round the first word that was asked for, the words marked."""
    folded = part.folded[len(part.heading) + 1 :]
    first = min((found.start() for pattern in patterns if (found := pattern.search(folded))), default=0)
    begin = max(0, part.text.rfind(" ", 0, max(0, first - 60)) + 1)
    text, low = part.text[begin : begin + LONGEST_EXCERPT], folded[begin : begin + LONGEST_EXCERPT]
    marked, at = Markup(), 0
    for start, end in sorted({found.span() for pattern in patterns for found in pattern.finditer(low)}):
        if start >= at:
            marked += escape(text[at:start]) + Markup("<mark>{}</mark>").format(text[start:end])
            at = end
    more = "…" if begin + LONGEST_EXCERPT < len(part.text) else ""
    return Markup("{}{}{}{}").format("…" if begin else "", marked, text[at:], more)
