"""What the command line says in the user's language: helps, what commands print, what was called wrongly, what was refused.

Commands are written in English, and their texts are the keys of a catalogue (`terminal.po`), which is read only when something is
said in French: a help when it is shown, an error when it is told. What click says itself passes the same catalogue.
"""

import gettext
import inspect
import sys
from collections.abc import Iterable, Iterator

import click

from arbitre.cli.language import language
from arbitre.errors import refusal
from arbitre.reasons import Reason, fill

NO_BREAK = "\N{NO-BREAK SPACE}"
"""What stands before French colons; what a terminal shows is searched and copied, so what we print has ordinary spaces."""

CLICK = (
    "Commands", "Options", "Usage:", "Show this message and exit.", "Show the version and exit.", "default: {default}",
    "(dynamic)", "required", "Missing command.", "Missing argument", "Missing option", "Missing parameter",
    "Choose from:\n\t{choices}", "Error: {message}", "Error: invalid input", "Repeat for confirmation",
    "Error: The two entered values do not match.", "Invalid value: {message}", "Invalid value for {param_hint}: {message}",
    "No such option {name!r}.", "No such command {name!r}.", "Option {name!r} does not take a value.",
    "Argument {name!r} takes {nargs} values.", "Could not open file {filename!r}: {message}", "unknown error",
    "{value!r} is not a valid {number_type}.", "{value} is not in the range {range}.",
    "{value!r} is not a valid boolean. Recognized values: {states}",
    "file", "directory", "path", "{name} {filename!r} does not exist.", "{name} {filename!r} is a file.",
    "{name} {filename!r} is a directory.", "{name} {filename!r} is not readable.", "{name} {filename!r} is not writable.",
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    ("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    ("Takes {nargs} values but 1 was given.", "Takes {nargs} values but {len} were given."),
)  # fmt: skip
"""What click says to people, in one form or for one and many."""

BELOW = "COMMAND [ARGS]..."
KINDS = ("DIRECTORY", "FILE", "FLOAT", "FLOAT RANGE", "INTEGER", "INTEGER RANGE", "PATH", "TEXT")
OURS = ("error:", "hint:", "interrupted", BELOW, *KINDS)
"""What the command line says around a complaint, and in helps: what stands for other commands, and for a value of some kind."""


def spoken(text: str) -> str:
    """Return a text of the command line in the user's language."""
    if language() == "en" or not text:
        return text
    from arbitre.words import words  # noqa: PLC0415 - takes a moment to load, and English needs none

    return words("fr")(text)


def said(what: object) -> str:
    """Return what a room below said, a reason, an error or a word of ours, in the user's language."""
    if language() == "en":
        return str(what)
    from arbitre.words import words  # noqa: PLC0415 - as above

    return words("fr").of(what).replace(NO_BREAK, " ")


def phrase(template: str, /, **fields: object) -> str:
    """Return a sentence of a command, its fields filled in, in the user's language."""
    return said(Reason(template, **fields))


def numbered(one: str, many: str, count: int, /, **fields: object) -> str:
    """Return the sentence for so many; `%(count)s` is the number."""
    template = _number(one, many, count)
    return fill(template, {name: said(field) for name, field in {"count": count, **fields}.items()}).replace(NO_BREAK, " ")


def tell(template: str, /, *, err: bool = False, **fields: object) -> None:
    """Print a sentence of a command in the user's language."""
    click.echo(phrase(template, **fields), err=err)


def advise(template: str, /, **fields: object) -> None:
    """Print a hint on standard error."""
    click.echo(f"arbitre: {phrase('hint:')} {phrase(template, **fields)}", err=True)


class MisuseError(click.UsageError):
    """A command was called wrongly; `reason` says how."""

    def __init__(self, template: str, /, **fields: object) -> None:
        self.reason = Reason(template, **fields)
        super().__init__(str(self.reason))


def refused(error: OSError) -> str:
    """Return what the system refused; French has no words for the numbers of errors, which nobody needs."""
    if language() == "en" or error.strerror is None:
        return f"the system refused: {error}"
    why = refusal(error)
    if error.filename is None:
        return said(Reason("the system refused: %(error)s", error=why))
    return said(Reason("the system refused: %(error)s: %(file)r", error=why, file=error.filename))


def wrong(error: click.ClickException) -> str:
    """Return how a command was called wrongly."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        _translate(error.ctx)  # an argument is named as its help names it
    return said(error if isinstance(error, MisuseError) else error.format_message())


# ── helps ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Speaking(click.Context):
    """The context of a command whose help is shown in the user's language."""

    def make_formatter(self) -> click.HelpFormatter:
        """Translate the command: its help is about to be written."""
        _translate(self)
        return super().make_formatter()


def teach(command: click.Command) -> click.Command:
    """Let a command and those below it show their helps in the user's language."""
    for one in _tree(command):
        one.context_class = Speaking
    return command


def texts(command: click.Command) -> Iterator[str]:
    """Return what the helps of a command and those below it say, in English: for the catalogue."""
    for one in _tree(command):
        yield from filter(None, (*_english(one), *(text for part in one.params for text in _english(part))))


_ENGLISH: dict[click.Command | click.Parameter, tuple[str, str, str]] = {}
"""What a command or parameter said before it was translated: its help, what stands for its value, and for its default."""


def _english(one: click.Command | click.Parameter) -> tuple[str, str, str]:
    if one not in _ENGLISH:
        given = (getattr(one, name, None) for name in ("help", "metavar", "show_default"))
        help_text, metavar, default = (text if isinstance(text, str) else "" for text in given)
        if isinstance(one, click.Argument) and not isinstance(one.type, click.Choice):
            metavar = metavar or one.make_metavar(click.Context(click.Command(None)))  # click's own: the name of the argument
        _ENGLISH[one] = _joined(help_text), metavar, default
    return _ENGLISH[one]


def _joined(text: str) -> str:
    """Return a help with each paragraph in one line, however it is broken in the source."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


def _tree(command: click.Command) -> Iterator[click.Command]:
    yield command
    for one in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _tree(one)


def _translate(context: click.Context) -> None:
    """Put the texts of a command, and of the list of those below it, into the user's language."""
    command = context.command
    several: Iterable[click.Command] = ()
    if isinstance(command, click.Group):
        several, command.subcommand_metavar = command.commands.values(), spoken(BELOW)
    for one in (command, *several):
        one.help = spoken(_english(one)[0])
    for part in command.params:
        help_text, metavar, default = _english(part)
        part.metavar = spoken(metavar) or None
        if isinstance(part, click.Option):
            if not metavar and not part.is_flag and part.type.name.upper() in KINDS:
                part.metavar = spoken(part.type.name.upper())
            part.help = spoken(help_text) or None
            if default:
                part.show_default = spoken(default)
    if (option := command.get_help_option(context)) is not None:
        option.help = spoken("Show this message and exit.")  # click keeps the one that it made first


# ── click's own words ──────────────────────────────────────────────────────────────────────────────────────────────


def _number(one: str, many: str, count: int) -> str:
    if language() == "en":
        return one if count == 1 else many
    from arbitre.words import words  # noqa: PLC0415 - as above

    return words("fr").catalogue.ngettext(one, many, count)


def install() -> None:
    """Let click speak through our catalogue: it asks gettext, which knows compiled files on disk alone."""
    ours = {gettext.gettext: spoken, gettext.ngettext: _number}
    for name, module in list(sys.modules.items()):
        if name.startswith("click."):
            for word in ("_", "ngettext"):
                if (found := getattr(module, word, None)) in ours:
                    setattr(module, word, ours[found])
