"""What people wrote in lines, as a page shows it: paragraphs, lists, code, and addresses that lead somewhere; never markup."""

import re

from markupsafe import Markup, escape

ADDRESS = re.compile(r"https?://[^\s<>\"'`]{1,2000}")
TAIL = ".,;:!?)]}»”’"
"""What ends a sentence, not an address."""


def prose(text: str) -> Markup:
    """Return a text for a page: blank lines part paragraphs, `- ` begins an item, four spaces begin a line of code."""
    made: list[Markup] = []
    for block in re.split(r"\n(?:[ \t]*\n)+", text.strip("\n")):
        lines = block.splitlines()
        if not block.strip():
            continue
        if all(line.startswith("    ") for line in lines):
            made.append(Markup("<pre><code>{}</code></pre>").format("\n".join(line[4:] for line in lines)))
        elif all(line.startswith("- ") for line in lines):
            made.append(Markup("<ul>{}</ul>").format(Markup().join(Markup("<li>{}</li>").format(_led(one[2:])) for one in lines)))
        else:
            made.append(Markup("<p>{}</p>").format(Markup("<br>").join(_led(one) for one in lines)))
    return Markup().join(made)


def _led(line: str) -> Markup:
    """Return a line with its addresses as links; nobody is told where a visitor came from, and no search engine believes it."""
    made, at = Markup(), 0
    for found in ADDRESS.finditer(line):
        address = found.group().rstrip(TAIL)
        made += escape(line[at : found.start()])
        made += Markup('<a href="{0}" rel="nofollow ugc noopener noreferrer">{0}</a>').format(address)
        at = found.start() + len(address)
    return made + escape(line[at:])
