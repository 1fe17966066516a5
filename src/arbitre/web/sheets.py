"""Tables for a spreadsheet: CSV that opens by a double click, in UTF-8, whose numbers can be added up and which obeys nothing.

A French spreadsheet expects semicolons between cells and a comma in numbers; so it gets them, and French headings.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from litestar import Response

from arbitre.words import Words

FORMULA = re.compile(
    r"""(^|[,;|\t\r\n])(?=[\s"\x00-\x20\u200b-\u200f\u2060\ufeff]*"""
    r"""(?![+-][0-9]+(?:[.,][0-9]+)?\s*(?:$|[,;|\t\r\n]))[=+@\t\r\n＝＋－＠-])"""
)
"""Where a spreadsheet would begin to obey: at the beginning of a cell, and behind whatever ends a cell in a country whose
spreadsheets read our commas as text and split at semicolons, or the other way round. In some countries the wide forms count too.
A number with a sign is a number."""

MARK = "\ufeff"
"""Says that the file is UTF-8: without it spreadsheets guess, and accents suffer."""


class Sheet:
    """Writes tables in one language."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.delimiter, self.point = (";", ",") if words.language == "fr" else (",", ".")

    def number(self, given: Fraction | float) -> str:
        """Return a number as cells hold it: no ½, the country's decimal point, at most two digits behind it."""
        return f"{float(given):.2f}".rstrip("0").rstrip(".").replace(".", self.point)

    def text(self, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
        """Return a table; `heads` are words of the catalogue."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=self.delimiter, lineterminator="\r\n")
        writer.writerow([_small(self.words(one)) for one in heads])
        for row in rows:
            writer.writerow([cell(one) for one in row])
        return buffer.getvalue()


def cell(one: object) -> object:
    """Return a cell that a spreadsheet shows and does not obey, wherever it takes it to begin."""
    return FORMULA.sub(r"\1'", one) if isinstance(one, str) else one


def _small(head: str) -> str:
    """Return a heading as it stands within a line: pages begin it with a capital."""
    return head[:1].lower() + head[1:]


def handed(text: str, name: str) -> Response[str]:
    """Return a table as a file to keep."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(MARK + text, media_type="text/csv", headers=headers)
