"""The forms of the interface for programs: what is sent and what is answered, as the OpenAPI description shows them.

Numbers and texts have bounds, so whoever reads the description knows what is refused; lists come in pages, `next` being what to
send as `after` for the following one.
"""

from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct

T = TypeVar("T")

Id = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Short = Annotated[str, Meta(max_length=120)]
Url = Annotated[str, Meta(min_length=8, max_length=500)]
Move = Annotated[str, Meta(min_length=1, max_length=200)]
Position = Annotated[str, Meta(max_length=4_000)]


class Page(Struct, Generic[T]):
    """One page of a list, the newest first."""

    items: list[T]
    next: int | None
    """What to send as `after` for the next page; null: there is none."""


class Problem(Struct):
    """What went wrong."""

    error: str


class Me(Struct):
    """Who a token speaks for."""

    name: str
    neutral: str
    role: str
    scopes: list[str]


class Option(Struct):
    """An option of a game."""

    name: str
    default: str
    line: str


class GameForm(Struct):
    """A game of the catalogue."""

    name: str
    title: str
    line: str
    levels: int
    options: list[Option]


class Sitter(Struct, forbid_unknown_fields=True):
    """Who sits down: a player of the house at a level, a registered engine by its number, me, or whoever gets the link."""

    who: Literal["house", "engine", "me", "friend"]
    level: Annotated[int, Meta(ge=1, le=99)] | None = None
    engine: Id | None = None


class NewMatch(Struct, forbid_unknown_fields=True):
    """A match to be played."""

    game: Annotated[str, Meta(min_length=1, max_length=60)]
    seats: Annotated[list[Sitter], Meta(min_length=2, max_length=2)]
    options: dict[str, str | int | bool] = {}
    start: Position = ""
    clock: Annotated[str, Meta(max_length=30)] = "none"
    limit: Annotated[int, Meta(ge=4, le=54)] = 54
    stepped: bool = False
    hidden: bool = False
    title: Short = ""


class MatchForm(Struct):
    """A match."""

    name: str
    number: int
    game: str
    title: str
    state: Literal["waiting", "playing", "over"]
    players: list[str]
    url: str
    seats: list[int]
    """Where the one who asks sits."""
    verdict: str | None = None
    """As the record has it, when the match is over."""
    head: str | None = None
    """The head of the sealed record."""


class Turn(Struct):
    """What a person who plays is asked."""

    asked: bool
    seat: int | None = None
    turn: int | None = None
    ticket: str | None = None
    """Answers this question and no other; sent twice with the same move it counts once."""
    position: str | None = None
    legal: list[str] | None = None


class Said(Struct, forbid_unknown_fields=True):
    """A move."""

    move: Move
    ticket: Annotated[str, Meta(max_length=64)] = ""
    """Which question it answers; empty: the one that is open now."""


class Invited(Struct):
    """A link by which somebody takes the free chair."""

    url: str
    code: str
    """What the link ends with: a program takes the chair with it."""


class NewEngine(Struct, forbid_unknown_fields=True):
    """An engine to register."""

    game: Annotated[str, Meta(min_length=1, max_length=60)]
    name: Annotated[str, Meta(min_length=1, max_length=60)]
    url: Url
    full: bool = False
    direct: bool = False
    notify: bool = False
    login: Annotated[str, Meta(max_length=200)] = ""
    public: bool = True
    anyway: bool = False
    """Keep it although it did not answer well when it was tried; it is marked broken."""


class TrialForm(Struct):
    """What came of calling a program."""

    good: bool
    fault: str
    """What is wrong; empty: nothing is."""
    called: str
    """The address as it was called."""
    milliseconds: int
    status: int
    """The status of the answer; 0 where there was none."""
    body: str
    said: str | None
    """The move as it was said; null where none was."""
    move: str
    """The move as our notation writes it, where it is a good one."""
    heard: list[str]
    """What called back, and what it was told."""


class TryEngine(Struct, forbid_unknown_fields=True):
    """A position to show to an engine: one's own by its number, or one at an address."""

    game: Annotated[str, Meta(min_length=1, max_length=60)]
    engine: Id | None = None
    url: Annotated[str, Meta(max_length=2_048)] = ""
    preset: Annotated[str, Meta(max_length=60)] = "start"
    position: Position = ""
    """A tray, or a position in the game's notation; then the preset does not count."""
    seat: Annotated[int, Meta(ge=0, le=1)] = 0
    full: bool = False
    back: bool = False
    """Let it call back instead of answering in the body."""
    limit: Annotated[int, Meta(ge=4, le=30)] = 8


class PlayedForm(Struct):
    """A match that an engine played, and the last exchange with it that came to nothing."""

    match: str
    seats: list[int]
    state: str
    fault: str | None


class EngineForm(Struct):
    """A registered engine; its address only for its owner."""

    id: int
    game: str
    name: str
    opponent: str
    state: Literal["ok", "broken"]
    mine: bool
    url: str | None = None
    fault: str | None = None


class NewInterface(Struct, forbid_unknown_fields=True):
    """An interface to register."""

    game: Annotated[str, Meta(min_length=1, max_length=60)]
    name: Annotated[str, Meta(min_length=1, max_length=60)]
    url: Url
    public: bool = True
    own_origin: bool = False
    """Whether its frame keeps the origin it came from, for pages that do not work without one."""
    anyway: bool = False
    """Keep it although no page was there when it was fetched; it is marked broken."""


class InterfaceForm(Struct):
    """A registered interface."""

    id: int
    game: str
    name: str
    url: str
    mine: bool
    state: Literal["ok", "broken"]
    own_origin: bool
    fault: str | None = None


class NewPhoto(Struct, forbid_unknown_fields=True):
    """A position to keep."""

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    game: Annotated[str, Meta(min_length=1, max_length=60)]
    state: Annotated[str, Meta(min_length=1, max_length=4_000)]


class PhotoForm(Struct):
    """A photographed position, and the options of its game that are not the usual ones."""

    id: int
    title: str
    game: str
    state: str
    options: dict[str, Any]


class Exchange(Struct):
    """One exchange with an engine."""

    sequence: int
    at: str
    what: str
    text: str
    status: int
    body: str


# ── competitions and classes ───────────────────────────────────────────────────────────────────────────────────────


Format = Literal["swiss", "round-robin", "double-round-robin", "gauntlet", "knockout"]
Rounds = Annotated[int, Meta(ge=0, le=99)]
Games = Annotated[int, Meta(ge=1, le=1_000)]
ClockText = Annotated[str, Meta(max_length=30)]
Turns = Annotated[int, Meta(ge=0, le=1_000_000)]
Many = Annotated[int, Meta(ge=0, le=1_000)]
Starts = Annotated[list[Position], Meta(max_length=100)]
About = Annotated[str, Meta(max_length=2_000)]
Access = Literal["all", "class", "link"]
Moment = Annotated[int, Meta(ge=0, le=2**40)]
Each = Annotated[int, Meta(ge=1, le=100)]
Patience = Annotated[int, Meta(ge=0, le=86_400)]
Heading = Annotated[str, Meta(min_length=1, max_length=120)]


class CompetitionTerms(Struct, forbid_unknown_fields=True, kw_only=True):
    """What an organiser decides; times in seconds since 1970."""

    title: Heading
    format: Format = "swiss"
    rounds: Rounds = 0
    """Rounds of a Swiss; 0: as many as it takes."""
    games: Games = 2
    """Games of a pairing."""
    clock: ClockText = "10s/move"
    turns: Turns = 0
    """After so many turns a game is a draw; 0: as the game has it."""
    refusals: Many = 0
    """How many illegal moves are forgiven."""
    concurrency: Many = 0
    """Games at a time; 0: as many as usual."""
    starts: Starts = []
    """Positions that games start from, one after the other; none: the usual one."""
    about: About = ""
    access: Access = "all"
    """Who may enter: everybody, one class, or whoever has the link."""
    klass: Id | None = None
    """The number of the class, where it is for one."""
    opens: Moment = 0
    """When entries are taken; 0: now."""
    begins: Moment = 0
    """When the games start; 0: in an hour."""
    listed: bool = True
    each: Each = 1
    patience: Patience = 600
    """Seconds that a person is waited for where a clock runs, 60 at least; 0: as long as the organiser likes."""


class NewCompetition(CompetitionTerms, forbid_unknown_fields=True, kw_only=True):
    """A competition to announce."""

    game: Annotated[str, Meta(min_length=1, max_length=60)]
    options: dict[str, str | int | bool] = {}
    """Options of a game of the house."""
    kind: Literal["engines", "people"] = "engines"
    draw: Literal["seed", "contestants"] = "seed"


class ChangedCompetition(Struct, forbid_unknown_fields=True, kw_only=True):
    """What an organiser decides otherwise while it is not running; what is not sent, or null, stays as it was."""

    title: Heading | None = None
    format: Format | None = None
    rounds: Rounds | None = None
    games: Games | None = None
    clock: ClockText | None = None
    turns: Turns | None = None
    refusals: Many | None = None
    concurrency: Many | None = None
    starts: Starts | None = None
    about: About | None = None
    access: Access | None = None
    klass: Id | None = None
    opens: Moment | None = None
    begins: Moment | None = None
    listed: bool | None = None
    each: Each | None = None
    patience: Patience | None = None


class CompetitionForm(Struct):
    """A competition; the code of its link only for its organiser."""

    id: int
    title: str
    game: str
    kind: str
    stage: str
    opens: int
    begins: int
    url: str
    mine: bool
    about: str
    access: str
    klass: int | None
    listed: bool
    each: int
    plan: dict[str, Any]
    """The keys of the tournament's plan."""
    patience: int
    code: str | None = None


class ChangeForm(Struct):
    """One thing that was changed after the announcement, or why it was cancelled."""

    at: int
    field: str
    before: str
    after: str


class EntryForm(Struct):
    """Somebody who takes part."""

    id: int
    competition: int
    name: str
    neutral: str
    """What the plan and the records say for the name."""
    engine: int | None
    votes: int
    withdrawn: bool
    mine: bool


class StandingForm(Struct):
    """A line of the standings."""

    rank: int
    entry: int
    name: str
    points: str
    games: int
    wins: int
    draws: int
    losses: int
    byes: int
    faults: int
    elo: str
    error: str


class FixtureForm(Struct):
    """A game of a competition that was begun."""

    number: int
    match: str
    live: bool


class ResultForm(Struct):
    """A game of a competition, begun or not."""

    number: int
    round: int
    players: list[str]
    match: str | None
    live: bool
    scores: list[str]
    """Empty while it is not over."""
    end: str
    """How it ended."""


class FaultForm(Struct):
    """A game that was lost by a fault."""

    number: int
    match: str
    kind: str
    reason: str
    entries: list[int]
    """Whose fault it was."""


class ProgressForm(Struct):
    """How a competition stands."""

    stage: str
    standings: list[StandingForm]
    games: list[FixtureForm]
    trouble: str
    faults: list[FaultForm] = []


class DrawForm(Struct):
    """How a competition is drawn, and what proves it."""

    way: str
    """`seed`: by the house's committed seed; `contestants`: by their own Commits besides."""
    commitment: str
    seed: str | None
    """The house's, in hexadecimal, when the last game is over."""
    purpose: str
    """What Commits and Reveals are made for: `lot_terms(purpose)` of `arbitre.protocol.rochambeau`."""
    binders: dict[str, str]
    """The end of the nonce that the Commit of each contestant needs, by neutral name."""
    commits: list[str]
    """Who has brought a Commit."""
    awaited: list[str]
    """Who has still to open it."""
    transcript: str | None
    """The proof of the order, where the contestants drew it."""


class Payload(Struct, forbid_unknown_fields=True):
    """A Commit or a Reveal, in hexadecimal."""

    payload: Annotated[str, Meta(min_length=2, max_length=4_096)]


class YourGame(Struct):
    """A game of a competition in which one plays oneself, being played or waiting."""

    competition: int
    number: int
    players: list[str]
    match: str | None
    asks: bool
    """Whether it begins when one says that one is there."""


class Enter(Struct, forbid_unknown_fields=True):
    """Who enters: one of one's engines, or oneself where people compete."""

    engine: Id | None = None
    code: Annotated[str, Meta(max_length=64)] = ""
    commit: Annotated[str, Meta(max_length=4_096)] = ""
    """A Commit for the draw, in hexadecimal, where the contestants settle it."""


class Steer(Struct, forbid_unknown_fields=True):
    """What an organiser does: open entries, begin the games, call it off, go on after a fault of the house."""

    do: Literal["open", "begin", "cancel", "again"]
    why: Annotated[str, Meta(max_length=500)] = ""
    """Why it is cancelled."""


class RatedForm(Struct):
    """A line of a ranking."""

    place: int
    name: str
    neutral: str
    """What records say for the name."""
    rating: float
    games: int
    wins: int
    draws: int
    losses: int
    faults: int
    mean_ms: int | None


class MetForm(Struct):
    """What one made against another."""

    name: str
    neutral: str
    points: str
    games: int


class RatedHistory(Struct):
    """How the rating of one came about."""

    line: RatedForm
    history: list[tuple[int, float]]
    """After which game of the ranking, from 1, which rating."""
    met: list[MetForm]


class NewChallenge(Struct, forbid_unknown_fields=True):
    """One of one's engines challenges another."""

    mine: Id
    theirs: Id


class ChallengeForm(Struct):
    """A challenge."""

    id: int
    challenger: int
    challenged: int
    state: str
    match: str | None


class ReplyForm(Struct, forbid_unknown_fields=True):
    """What one says to a challenge: yes or no to another's, withdraw for one's own."""

    do: Literal["accept", "decline", "withdraw"]
