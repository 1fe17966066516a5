"""Every exception of Arbitre, one tree.

Whatever goes wrong by somebody's doing is an `ArbitreError`: its sentence says in one lower-case line what was wrong and where,
quoting the evidence. It is raised as a template with fields, so that whoever shows it can say it in the reader's language:
`raise UnknownError("no engine has the number %(number)s", number=number)`. Anything else that escapes is a bug of ours.
"""

from collections.abc import Iterable

from arbitre.reasons import Reason


class ArbitreError(Exception):
    """Something a user, a player, a peer or a file did that the referee cannot accept; `reason` says what."""

    def __init__(self, template: str | Reason = "", /, **fields: object) -> None:
        self.reason = template if isinstance(template, Reason) else Reason(template, **fields)
        super().__init__(self.reason)

    def __str__(self) -> str:
        return str(self.reason)


# ── moves ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class MoveError(ArbitreError):
    """What a player said cannot be played; `why` enters the record."""

    why: Reason


class InvalidMoveError(MoveError):
    """The text does not say a move of this game at all; `text` is what was said, `why` has a code that was declared."""

    def __init__(self, text: str, why: str | Reason, /, **fields: object) -> None:
        self.text = text
        self.why = _reason(why, fields)
        super().__init__("invalid move %(move)r: %(why)s", move=shorten(text), why=self.why)


class AmbiguousMoveError(MoveError):
    """The text fits several moves; `fits` lists them in canonical text."""

    def __init__(self, text: str, fits: Iterable[str], /) -> None:
        self.text = text
        self.fits = tuple(fits)
        self.why = Reason("ambiguous", fits=" ".join(self.fits))
        super().__init__("ambiguous move %(move)r: %(why)s", move=shorten(text), why=self.why)


class IllegalMoveError(MoveError):
    """The text says a move, but the rules forbid it here; `move` is that move, `why` has a code that was declared."""

    def __init__(self, move: object, why: str | Reason, /, **fields: object) -> None:
        self.move = move
        self.why = _reason(why, fields)
        super().__init__("illegal move %(move)s: %(why)s", move=shorten(str(move)), why=self.why)


# ── games, positions, options ──────────────────────────────────────────────────────────────────────────────────────


class RulesError(ArbitreError):
    """A game was asked for something it does not have."""


class UnknownGameError(RulesError):
    """No game of that name is in the catalogue."""


class OptionError(RulesError):
    """A game was given an option it does not know, or a value the option cannot take."""


class OpenSetError(RulesError):
    """The legal moves are too many to list (a fleet, a commitment): use `Game.sample` and `Game.check`."""


class ConformanceError(RulesError):
    """A game breaks its contract (`arbitre.testing`)."""


class CatalogueError(RulesError):
    """Two packages claim one name, or an entry point does not lead to a game."""


class PositionError(ArbitreError):
    """The text is not a position of this game; `at` is the offset of the first character that is wrong, if one is."""

    def __init__(self, text: str, why: str | Reason, at: int | None = None, /, **fields: object) -> None:
        self.text = text
        self.why = _reason(why, fields)
        self.at = at
        if at is None:
            super().__init__("bad position %(said)r: %(why)s", said=shorten(text), why=self.why)
        else:
            super().__init__("bad position %(said)r at character %(at)s: %(why)s", said=shorten(text), at=at + 1, why=self.why)


class GameTextError(ArbitreError):
    """The text is not a record of games (PDN); `line` and `column`, from 1, are where it goes wrong."""

    def __init__(self, why: str | Reason, line: int, column: int, /, **fields: object) -> None:
        self.why = _reason(why, fields)
        super().__init__("line %(line)s, column %(column)s: %(why)s", line=line, column=column, why=self.why)
        self.line = line
        self.column = column


# ── commitments ────────────────────────────────────────────────────────────────────────────────────────────────────


class GroupError(ArbitreError):
    """A group, or a key in it, cannot be used for commitments."""


# ── players ────────────────────────────────────────────────────────────────────────────────────────────────────────


class PlayerError(ArbitreError):
    """A player failed to play; the match goes on to its verdict. The reason enters the record: its code was declared."""


class PlayerLeftError(PlayerError):
    """The player is gone: it crashed, hung up, or never came."""


class PlayerLateError(PlayerError):
    """The player has not answered within a limit of its own, whatever the clock says; `limit` is in milliseconds."""

    def __init__(self, why: str | Reason, limit: int, /, **fields: object) -> None:
        super().__init__(_reason(why, fields))
        self.limit = limit


class PlayerGarbledError(PlayerError):
    """The player said something that the protocol of the wire does not know."""


class ProtocolError(ArbitreError):
    """A message is not in the protocol of its wire."""


class NotTakenError(ArbitreError):
    """Nobody takes a call: there is no such host, nobody listens there, or the house must not call it."""


class GatewayError(ProtocolError):
    """A school's gateway answered, but nothing that can be a move."""


class ForbiddenAddressError(ArbitreError):
    """An address that somebody typed in leads where the house must not call."""


class PlayerStringError(ArbitreError):
    """A text does not name a player."""


class HouseError(ArbitreError):
    """Our own house failed (a full disk, a lost store, a bug in an engine of ours): no player's fault."""


# ── records, keys, stores ──────────────────────────────────────────────────────────────────────────────────────────


class StoreError(HouseError):
    """The store cannot be opened, read or written; what it has confirmed is safe."""


class FencedError(StoreError):
    """Another node has taken over from this one: nothing that it writes is kept, and what it held is played elsewhere."""


class NameHeldError(StoreError):
    """A node of this name lives elsewhere."""


class UnknownRecordError(ArbitreError):
    """No match or tournament of that name is in the store; `what` leaves out the folder, not everybody's to know."""

    def __init__(self, what: str | Reason, folder: object = None, /, **fields: object) -> None:
        self.what = _reason(what, fields)
        super().__init__(self.what if folder is None else Reason("%(what)s in %(folder)s", what=self.what, folder=folder))


class KeyFileError(ArbitreError):
    """A key cannot be read or kept."""


class RecordError(ArbitreError):
    """A record is not what it says: `event` is the number of the first event that is wrong, from 1, if one is."""

    def __init__(self, why: str | Reason, event: int | None = None, /, **fields: object) -> None:
        self.why = _reason(why, fields)
        self.event = event
        super().__init__(self.why if event is None else Reason("event %(event)s: %(why)s", event=event, why=self.why))


class FormatError(RecordError):
    """A record has a format that this program does not know: of the past, or of the future."""


class AnalysisError(ArbitreError):
    """A game cannot be analysed, or an analysis is not what it says."""


class LogError(ArbitreError):
    """A checkpoint, tile, entry or proof of a transparency log is not in form; `status` is the exit status of its kind."""

    status = 9


class LogMissingError(LogError):
    """A log does not hold what it must."""

    status = 7


class LogOrderError(LogError):
    """A match was opened, by the order of the log, under a key that was not the referee's then."""

    status = 1


class LogForkError(LogError):
    """A log contradicts itself, or what was seen of it before: it forgot, forked, or another signed for it.

    `evidence` is the file that holds the two checkpoints, where there are two.
    """

    status = 8
    evidence = ""
    hint: str | Reason = ""


class TranscriptError(ArbitreError):
    """An event cannot follow what was recorded before it: no referee of ours would have written it."""


class SpellingError(TranscriptError):
    """A move is written otherwise than its notation writes it, `canonical`."""

    def __init__(self, text: str, canonical: str) -> None:
        super().__init__("the move %(text)r is written %(canonical)r", text=shorten(text), canonical=canonical)
        self.canonical = canonical


class TermsError(ArbitreError):
    """The terms of a match do not make sense, or do not fit the game."""


# ── games by file ──────────────────────────────────────────────────────────────────────────────────────────────────


class GameFileError(ArbitreError):
    """A file of a game is damaged, forged, older than one we saw, or of another game."""


class GameStageError(ArbitreError):
    """What a player asks of a game by file cannot be done now: it is the other's turn, or the game is over."""


class PasswordError(ArbitreError):
    """A password opens no seat of this game, or is no password."""


class SealingError(ArbitreError):
    """A sealing provider is unknown, failed, or did not keep to the characters 35 to 126."""


# ── the arena ──────────────────────────────────────────────────────────────────────────────────────────────────────


class SiteError(ArbitreError):
    """A site that we are a client of refused, or does not answer; `status` is what it said, 0 for nothing."""

    def __init__(self, why: str | Reason, status: int = 0, /, **fields: object) -> None:
        super().__init__(_reason(why, fields))
        self.status = status
        self.hint: Reason | None = None


class LongAnswerError(SiteError):
    """A site answers with more octets than anything has that was asked for."""


class ArenaError(ArbitreError):
    """A match of the arena cannot be called, joined, answered or stopped as somebody wants it."""


class LateError(ArenaError):
    """A question is not open any more: its time is over, or it was answered."""


class UnfinishedError(ArenaError):
    """The record of a match opens when the match is over."""


# ── tournaments ────────────────────────────────────────────────────────────────────────────────────────────────────


class TournamentError(ArbitreError):
    """A tournament cannot be held as it was planned, or was told results that it does not know."""


# ── the draughts league ────────────────────────────────────────────────────────────────────────────────────────────


class LeagueError(ArbitreError):
    """A roster, an address, a registrar or a game to report is not what the league needs."""


class UnreachableError(LeagueError):
    """A server of the league does not take the call."""


# ── the site ───────────────────────────────────────────────────────────────────────────────────────────────────────


class SettingsError(ArbitreError):
    """A setting of the site cannot be: the message names where it was given, the setting, and why."""

    hint: Reason | None = None
    """What to do about it."""


# ── elections ──────────────────────────────────────────────────────────────────────────────────────────────────────


class PayloadError(ArbitreError):
    """Octets of a Rochambeau election are no payload of it; `fault` names what is wrong in one word or two."""

    def __init__(self, fault: str, why: str | Reason, /, **fields: object) -> None:
        self.fault = fault
        self.why = _reason(why, fields)
        super().__init__("%(fault)s: %(why)s", fault=Reason(fault), why=self.why)


class ElectionError(ArbitreError):
    """An election cannot be held, or was broken up: parties that do not come, a convicted hub, no agreement."""


class UndecidedError(ElectionError):
    """An election ended without a certificate for this party: there may be a winner, but it cannot name him."""


class UnknownRoomError(ElectionError):
    """No room has this code."""


class NotOrganiserError(ElectionError):
    """Only whoever opened a room may do that."""


# ── the community ──────────────────────────────────────────────────────────────────────────────────────────────────


class CommunityError(ArbitreError):
    """What somebody asks of accounts, engines, classes or competitions cannot be done."""


class UnfitError(CommunityError):
    """What was typed into a form does not fit; `field` names what is wrong."""

    def __init__(self, field: str, why: str | Reason, /, **fields: object) -> None:
        self.field = field
        self.why = _reason(why, fields)
        super().__init__("%(field)s: %(why)s", field=Reason(field), why=self.why)


class NameTakenError(CommunityError):
    """Somebody has this name already, or one that looks the same."""


class WrongPasswordError(CommunityError):
    """Name and password do not belong together; which of the two is wrong is not said."""


class LockedError(CommunityError):
    """The account is locked; `why` is what the operator said."""

    def __init__(self, why: str, /) -> None:
        super().__init__("this account is locked: %(why)s", why=why)
        self.why = why


class ForbiddenError(CommunityError):
    """That is somebody else's, or needs another role, or the account is locked."""


class QuotaError(CommunityError):
    """There are as many of these as one account may have."""


class ExpiredError(CommunityError):
    """A code, a link or a date is over, was used, or never was: which of them is not said."""


class UnknownError(CommunityError):
    """There is no such thing, or none that this person may see."""


class StageError(CommunityError):
    """Not now: a competition, a challenge or an invitation is at another stage."""


class UnconfirmedError(CommunityError):
    """What cannot be undone wants the name again, so that nothing is lost by a slip."""


class SettledError(StageError):
    """Somebody has entered a competition on terms that were to change; `settled` names them."""

    def __init__(self, settled: Iterable[str], /) -> None:
        self.settled = tuple(settled)
        super().__init__(
            "somebody has entered on these terms, so they stay: %(settled)s; announce another one",
            settled=", ".join(self.settled),
        )


class HasteError(CommunityError):
    """Too many attempts; `wait` is how many seconds until the next."""

    def __init__(self, why: str | Reason, wait: float, /, **fields: object) -> None:
        super().__init__(_reason(why, fields))
        self.wait = wait


class BackupError(ArbitreError):
    """A backup cannot be written, is none, or would overwrite something."""


class MovingError(ArbitreError):
    """A site cannot be moved to another database: there is something already, or not everything arrived."""


def _reason(why: str | Reason, fields: dict[str, object]) -> Reason:
    return why if isinstance(why, Reason) else Reason(why, **fields)


def refusal(error: OSError) -> Reason:
    """Return what the system says of an error, without its number and its file."""
    return Reason(error.strerror or str(error))


def shorten(text: str, most: int = 80) -> str:
    """Cut evidence to what fits a line: a hostile message must not fill the log."""
    return text if len(text) <= most else text[: most - 1] + "…"
