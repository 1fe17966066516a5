"""Every exception of Arbitre, one tree.

Whatever goes wrong by somebody's doing is an `ArbitreError`: its message says in one lower-case line what was wrong and
where, quoting the evidence, and the command line prints it as it is. Anything else that escapes is a bug of ours.
"""

from collections.abc import Iterable


class ArbitreError(Exception):
    """Something a user, a player, a peer or a file did that the referee cannot accept."""


# ── moves ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class MoveError(ArbitreError):
    """What a player said cannot be played."""


class InvalidMoveError(MoveError):
    """The text does not say a move of this game at all; `text` is what was said."""

    def __init__(self, text: str, why: str) -> None:
        super().__init__(f"invalid move {shorten(text)!r}: {why}")
        self.text = text
        self.why = why


class AmbiguousMoveError(MoveError):
    """The text fits several moves; `fits` lists them in canonical text."""

    def __init__(self, text: str, fits: Iterable[str]) -> None:
        self.text = text
        self.fits = tuple(fits)
        super().__init__(f"ambiguous move {shorten(text)!r}: it fits {' and '.join(self.fits)}")


class IllegalMoveError(MoveError):
    """The text says a move, but the rules forbid it here; `move` is that move."""

    def __init__(self, move: object, why: str) -> None:
        super().__init__(f"illegal move {shorten(str(move))}: {why}")
        self.move = move
        self.why = why


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

    def __init__(self, text: str, why: str, at: int | None = None) -> None:
        said = shorten(text)
        super().__init__(f"bad position {said!r}: {why}" if at is None else f"bad position {said!r} at character {at + 1}: {why}")
        self.text = text
        self.why = why
        self.at = at


class GameTextError(ArbitreError):
    """The text is not a record of games (PDN); `line` and `column`, from 1, are where it goes wrong."""

    def __init__(self, why: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {why}")
        self.why = why
        self.line = line
        self.column = column


# ── commitments ────────────────────────────────────────────────────────────────────────────────────────────────────


class GroupError(ArbitreError):
    """A group, or a key in it, cannot be used for commitments."""


# ── players ────────────────────────────────────────────────────────────────────────────────────────────────────────


class PlayerError(ArbitreError):
    """A player failed to play; the match goes on to its verdict."""


class PlayerLeftError(PlayerError):
    """The player is gone: it crashed, hung up, or never came."""


class PlayerLateError(PlayerError):
    """The player has not answered within a limit of its own, whatever the clock says; `limit` is in milliseconds."""

    def __init__(self, why: str, limit: int) -> None:
        super().__init__(why)
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


class UnknownRecordError(ArbitreError):
    """No match or tournament of that name is in the store."""


class KeyFileError(ArbitreError):
    """A key cannot be read or kept."""


class RecordError(ArbitreError):
    """A record is not what it says: `event` is the number of the first event that is wrong, from 1, if one is."""

    def __init__(self, why: str, event: int | None = None) -> None:
        super().__init__(why if event is None else f"event {event}: {why}")
        self.why = why
        self.event = event


class TranscriptError(ArbitreError):
    """An event cannot follow what was recorded before it: no referee of ours would have written it."""


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

    def __init__(self, why: str, status: int = 0) -> None:
        super().__init__(why)
        self.status = status
        self.hint = ""


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

    hint = ""
    """What to do about it."""


# ── elections ──────────────────────────────────────────────────────────────────────────────────────────────────────


class PayloadError(ArbitreError):
    """Octets of a Rochambeau election are no payload of it; `fault` names what is wrong in one word or two."""

    def __init__(self, fault: str, why: str) -> None:
        super().__init__(f"{fault}: {why}")
        self.fault = fault
        self.why = why


class ElectionError(ArbitreError):
    """An election cannot be held, or was broken up: parties that do not come, a convicted hub, no agreement."""


class UnknownRoomError(ElectionError):
    """No room has this code."""


class NotOrganiserError(ElectionError):
    """Only whoever opened a room may do that."""


# ── the community ──────────────────────────────────────────────────────────────────────────────────────────────────


class CommunityError(ArbitreError):
    """What somebody asks of accounts, engines, classes or competitions cannot be done."""


class UnfitError(CommunityError):
    """What was typed into a form does not fit; `field` names what is wrong."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


class NameTakenError(CommunityError):
    """Somebody has this name already, or one that looks the same."""


class WrongPasswordError(CommunityError):
    """Name and password do not belong together; which of the two is wrong is not said."""


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


class HasteError(CommunityError):
    """Too many attempts; `wait` is how many seconds until the next."""

    def __init__(self, why: str, wait: float) -> None:
        super().__init__(why)
        self.wait = wait


class BackupError(ArbitreError):
    """A backup cannot be written, is none, or would overwrite something."""


def shorten(text: str, most: int = 80) -> str:
    """Cut evidence to what fits a line: a hostile message must not fill the log."""
    return text if len(text) <= most else text[: most - 1] + "…"
