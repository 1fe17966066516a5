"""Games of Kriegspiel by file that this site judges: a file and what a player does go in, a newer file comes out (spec: proof).

Nobody needs an account: what opens a seat is the signature of the key that the player's password makes. The player's program is
`arbitre kref`; the manual's page on Kriegspiel by file has every octet that is signed. Wrong signatures are slowed down as wrong
passwords are.
"""

from typing import Annotated

from litestar import post
from litestar.params import JSONBody
from msgspec import Meta, Struct

from arbitre.kref.file import read_envelope
from arbitre.kref.requests import CALL, ENTER, LONGEST_CALL, LONGEST_ENTRY, LONGEST_FILE, SHOW
from arbitre.kref.standing import Standing, line_fields, ruling_fields
from arbitre.web.api.common import open_to_all
from arbitre.web.dependencies import OurHouse, ThisVisit

Sign = Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]
GameFileText = Annotated[str, Meta(min_length=1, max_length=LONGEST_FILE)]


class NewFileGame(Struct, forbid_unknown_fields=True):
    """A game to call as Black."""

    call: Annotated[str, Meta(min_length=2, max_length=LONGEST_CALL)]
    """How it is called: canonical JSON, as the log of a game has it, without a seed."""
    sign: Sign
    """Black's signature under it, in hexadecimal."""


class ShowFileGame(Struct, forbid_unknown_fields=True):
    """A file to look into."""

    file: GameFileText
    sign: Sign | None = None
    """A player's signature under site, game and head; without it only what both players know is told."""


class EnterFileGame(Struct, forbid_unknown_fields=True):
    """What a player does."""

    file: GameFileText
    """The newest one of the game."""
    entry: Annotated[str, Meta(min_length=2, max_length=LONGEST_ENTRY)]
    """As the log of a game has it: `0t:e2e4` is a try of White's, `1r` a resignation of Black's."""
    sign: Sign
    """The player's signature under site, game, head and entry."""


class FileLineForm(Struct):
    """A line of the log as the player knows it: a turn that begins, or a try."""

    turn: int
    seat: int
    begins: bool
    tried: str
    """Empty where the reader does not know what was tried."""
    made: bool
    said: str
    """What the umpire said, in codes with commas between."""
    square: str
    """Where something was taken."""


class FileRulingForm(Struct):
    """What the umpire answers to a try."""

    tried: str
    made: bool
    said: str


class FileStandingForm(Struct):
    """How a game by file stands, for both players, or for one."""

    game: str
    name: str
    mode: str
    options: dict[str, str | int | bool]
    site: str
    date: str
    white: str
    """Empty before White has sat down."""
    black: str
    ply: int
    mover: int | None
    verdict: str | None
    """As records write it."""
    begun: bool
    open: bool
    """Whether the game is over and its secrets are open."""
    unacknowledged: list[int]
    """The seats that are to acknowledge a resignation."""
    head: str
    """The head after the last entry, under which the player signs the next."""
    salt: str
    work: list[int]
    """With which argon2id makes a key of a password: passes, KiB."""
    seat: int | None
    """Whose signature came."""
    view: str | None
    """What this seat sees, as notation writes it."""
    log: list[FileLineForm]


class FileGameForm(FileStandingForm):
    """The newest file of a game, and how the game stands for the player who asked."""

    file: str
    ruling: FileRulingForm | None


def _fields(standing: Standing) -> dict[str, object]:
    return {**standing.fields(), "log": [FileLineForm(**line_fields(one)) for one in standing.log]}  # type: ignore[arg-type]


@post(CALL, status_code=201, **open_to_all())
async def call_file_game(house: OurHouse, visit: ThisVisit, data: JSONBody[NewFileGame]) -> FileGameForm:
    """Call a game by file as Black; the same request again gives the same file."""
    house.count("begin", visit.caller.counted)
    told = await house.file_umpire.call(data.call, data.sign)
    return FileGameForm(**_fields(told.standing), file=told.file, ruling=None)  # type: ignore[arg-type]


@post(SHOW, status_code=200, **open_to_all(403))
async def show_file_game(house: OurHouse, visit: ThisVisit, data: JSONBody[ShowFileGame]) -> FileStandingForm:
    """Tell how a game stands, and show a player the board; only the newest file is opened."""
    house.count("file", visit.caller.counted)
    if data.sign is None:
        standing = await house.file_umpire.show(data.file, None)
    else:
        name = f"file {read_envelope(data.file).game}"
        standing = await house.door.knock(visit, name, lambda: house.file_umpire.show(data.file, data.sign))
    return FileStandingForm(**_fields(standing))  # type: ignore[arg-type]


@post(ENTER, status_code=200, **open_to_all(403))
async def enter_file_game(house: OurHouse, visit: ThisVisit, data: JSONBody[EnterFileGame]) -> FileGameForm:
    """Sit down as White, try a move, give up or acknowledge; the last request, word for word, is answered the same again."""
    house.count("file", visit.caller.counted)
    name = f"file {read_envelope(data.file).game}"
    told = await house.door.knock(visit, name, lambda: house.file_umpire.enter(data.file, data.entry, data.sign))
    ruling = None if told.ruling is None else FileRulingForm(**ruling_fields(told.ruling))  # type: ignore[arg-type]
    return FileGameForm(**_fields(told.standing), file=told.file, ruling=ruling)  # type: ignore[arg-type]
