"""What the workshop says: programs to begin with, and errors in words that a beginner understands."""

from arbitre.games.catalogue import Listing
from arbitre.words import Words


def N_(text: str) -> str:  # noqa: N802 - the usual name: it marks words for the catalogue
    """Mark a text that is translated where it is shown."""
    return text


# ── programs to begin with ─────────────────────────────────────────────────────────────────────────────────────────

GOOD = N_("moves that are good where they are legal")
ANY = N_("else any legal move, drawn at random: find a better one")
LISTED = N_('the moves cannot be listed in this game; p["text"] is what you see')
LIKED = N_("I like")

LIKING = {
    "python": """# {good}
GOOD = [{moves}]

def move(p):
    for m in GOOD:
        if m in (p["legal"] or []):
            print("{liked}", m)
            return m
    # {any}
    return p["any"]
""",
    "javascript": """// {good}
const GOOD = [{moves}];

function move(p) {{
  for (const m of GOOD) {{
    if ((p.legal ?? []).includes(m)) {{
      print("{liked}", m);
      return m;
    }}
  }}
  // {any}
  return p.any;
}}
""",
}
PLAIN = {
    "python": """import random

def move(p):
    # {any}
    if p["legal"]:
        return random.choice(p["legal"])
    # {listed}
    return p["any"]
""",
    "javascript": """function move(p) {{
  // {any}
  if (p.legal) {{
    return p.legal[Math.floor(Math.random() * p.legal.length)];
  }}
  // {listed}
  return p.any;
}}
""",
}


def template(listing: Listing, language: str, words: Words) -> str:
    """Return a program of about ten lines that plays a game at once; comments in the visitor's language."""
    said = {"good": words(GOOD), "any": words(ANY), "listed": words(LISTED), "liked": words(LIKED)}
    moves = ", ".join(f'"{one}"' for one in listing.liked)
    return (LIKING if moves else PLAIN)[language].format(moves=moves, **said)


# ── errors ─────────────────────────────────────────────────────────────────────────────────────────────────────────

FAULTS = (
    (
        "IndentationError",
        "expected an indented block",
        N_("The line above ends with a colon: what belongs to it begins four spaces further to the right."),
    ),
    (
        "IndentationError",
        "",
        N_("This line begins too far to the right, or not far enough: lines that belong together begin below each other."),
    ),
    ("TabError", "", N_("Spaces and tabs are mixed here: use spaces alone.")),
    ("SyntaxError", "expected ':'", N_("A colon is missing at the end of this line.")),
    ("SyntaxError", "never closed|end of input|missing [)\\]}]", N_("A bracket is opened here and never closed.")),
    (
        "SyntaxError",
        "unterminated|Invalid or unexpected token|string literal",
        N_("A quotation mark is missing: a text begins here and does not end."),
    ),
    ("SyntaxError", "Maybe you meant '==|assignment to", N_("One = gives a name to a thing; to compare two things write ==.")),
    ("SyntaxError", "", N_("This line cannot be read: {text}.")),
    ("NameError", "'(\\w+)'.*import", N_("Nothing is called {1} here: write import {1} in the first line.")),
    ("NameError", "'(\\w+)'.*mean:? '(\\w+)'", N_("Nothing is called {1} here. Did you mean {2}?")),
    (
        "NameError|ReferenceError",
        "(\\w+)'? is not defined",
        N_("Nothing is called {1} here: is it spelt as above, and is it made before it is used?"),
    ),
    ("UnboundLocalError", "'(\\w+)'", N_("{1} is used before it is made.")),
    ("IndexError", "empty", N_('There is nothing to choose from: the list was empty. Use p["any"] then.')),
    ("IndexError", "", N_("The list is not that long; its first thing has the number 0.")),
    ("KeyError", "(.+)", N_("Nothing is kept under {1}. In p there are text, legal, any, turn, left, refused and seat.")),
    (
        "TypeError",
        "NoneType|null|undefined",
        N_('There is nothing here, None. In this game p["legal"] may be None: use p["any"] then.'),
    ),
    ("TypeError", "", N_("This does not go together: {text}.")),
    ("AttributeError", "", N_("That has no such part: {text}.")),
    ("ModuleNotFoundError", "'([\\w.]+)'", N_("There is no module {1} here. There are: {modules}.")),
    ("ImportError", "", N_("That cannot be imported. There are: {modules}.")),
    ("ZeroDivisionError", "", N_("Nothing can be divided by 0.")),
    ("RecursionError", "", N_("A function calls itself without end.")),
    ("NoInput", "", N_("Nobody can type while a program plays: input does not work here.")),
    ("NoSleep", "", N_("A program that plays does not wait: sleep does not work here.")),
    ("NoMove", "", N_("There is no function move(p) in this program.")),
    ("NoAnswer", "", N_("move returned nothing: is a return missing?")),
    ("NoText", "(.+)", N_('move returns a text such as "{any}", not {1}.')),
    ("TooSlow", "", N_("There was no answer within two seconds: is there a loop without an end?")),
    ("Gone", "", N_("The program was stopped.")),
    ("Illegal", "", N_("{move} is no move here: {text}.")),
)
"""Kinds of errors, what their text has in it, and how a beginner is told; the first that fits counts."""

OWN = N_("your program")
"""What sits on the visitor's chair."""
SAYINGS = {
    "line": N_("Line {line}"),
    "turn": N_("at move {turn}"),
    "warming": N_("Python is being fetched…"),
    "ready": N_("Ready"),
    "playing": N_("Playing…"),
    "won": N_("won"),
    "drawn": N_("drawn"),
    "lost": N_("lost"),
    "stopped": N_("stopped"),
    "failed": N_("Your program had no answer. Practice: nothing is counted."),
    "over": N_("Practice: nothing is counted."),
    "score": N_("{points} of {games}"),
    "saved": N_("saved in this browser"),
    "kept": N_("version {version}, saved"),
    "version": N_("version {version}"),
    "unsaved": N_("not saved yet"),
    "lent": N_("{name} plays for you while this tab is open. Games: {games}"),
    "lend": N_("Lend"),
    "take": N_("Stop lending"),
    "cut": N_("The line was cut; trying again"),
    "offline": N_("The site does not answer. Try again."),
    "moved": N_("move {turn}"),
}

KEYS = (
    ("indent", "⇥", N_("Indent")),
    ("outdent", "⇤", N_("Indent less")),
    ("comment", "#", N_("Comment")),
    ("( )", "( )", N_("Brackets")),
    ("[ ]", "[ ]", N_("Square brackets")),
    ('" "', '" "', N_("Quotation marks")),
    ("=", "=", N_("Equals")),
    (":", ":", N_("Colon")),
    ("undo", "↶", N_("Undo")),
    ("redo", "↷", N_("Redo")),
)
"""The bar of keys on screens that are touched: what each does, what stands on it, and what it is called."""
