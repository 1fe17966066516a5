"""Games that users add: a referee, a model engine and a model interface at addresses, and a sheet (spec: tournoyons, section 6).

The name of an added game is the value of `Set` on the wire, so it is letters and digits, and no other game's, not even one of the
house's. What the rules must know of it (boards, turns, start) is settled when it is added: records depend on it.
"""

from collections.abc import Callable, Sequence
from typing import Any, NewType

from sqlalchemy import Connection, delete, select, update

from arbitre.errors import NameTakenError, OptionError, StageError, UnfitError, UnknownError, shorten
from arbitre.games.added.rules import Added, AddedPair
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame
from arbitre.games.labels import KEY, MARK, key_of
from arbitre.games.wires import wired
from arbitre.reasons import Reason, reason_of
from arbitre.records.tables import ADDED_GAMES
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.arena.matches import forget_programs
from arbitre.site.arena.plan import MODEL
from arbitre.site.database import Database
from arbitre.site.forms import check_about, check_game, check_url, fold
from arbitre.site.registered import Registered, T, Tried
from arbitre.values import value

AddedGameId = NewType("AddedGameId", int)


@value
class AddedGame(Tried):
    """A game that somebody added."""

    id: AddedGameId
    owner: AccountId
    game: str
    """`added` with one board, `addedpair` with two."""
    name: str
    url: str
    """The referee's address."""
    engine: str
    """The model engine's."""
    interface: str
    """The model interface's."""
    about: str
    """The sheet: what it is, and the syntax of its trays, moves and gains."""
    board: str
    simultaneous: bool
    open: bool
    framed: bool
    """Whether the referee answers from his frame in a player's browser: for training only."""
    public: bool
    fault: Reason | None
    faulted: int | None
    created: int
    retired: int | None

    @property
    def label(self) -> str:
        """What engines, interfaces and competitions of it say they are for."""
        return f"{MARK}{self.name}"

    def seen_by(self, by: Account | None) -> bool:
        """Tell whether somebody may see it."""
        return self.public or (by is not None and (by.id == self.owner or by.may(Role.OPERATOR)))

    @property
    def rules(self) -> Added:
        """Return what our referee knows of it."""
        return rules_of(self.game, self.name, self.board, simultaneous=self.simultaneous, is_open=self.open)


def rules_of(game: str, name: str, board: str, *, simultaneous: bool, is_open: bool) -> Added:
    """Return the rules of an added game as it was declared; `UnfitError` names the field that does not fit."""
    if not KEY.fullmatch(name) or len(name) < 3:
        raise UnfitError("name", "3 to 30 letters and digits, a letter first")
    try:
        if game == "addedpair":
            return AddedPair(name, simultaneous, board, is_open)
        return Added(name, simultaneous, board)
    except OptionError as error:
        raise UnfitError("board", reason_of(error.reason.fields.get("why")) or error.reason) from None


def _sheet(about: str) -> str:
    """Return the sheet of a game, which must not be empty: others program by it."""
    sheet = check_about(about)
    if not sheet:
        raise UnfitError("about", "says how trays, moves and gains are written")
    return sheet


def row_of(connection: Connection, key: str) -> Any:
    """Return the row of the added game of a name, or of one that looks like it; None: there is none."""
    return connection.execute(select(ADDED_GAMES).where(ADDED_GAMES.c.folded == fold(key))).first()


class ForGames(Registered[T]):
    """Things that are for one game each: one of the catalogue, or one that somebody added and this person may see."""

    def _check_game(self, by: Account, label: str) -> str:
        if not label.startswith(MARK):
            if find_game(check_game(label)).neutral:
                raise UnfitError("game", "an added game is named %(mark)sNAME", mark=MARK)
            return label
        with self._database.reading() as connection:
            found = row_of(connection, key_of(label))
        if found is None or found.retired is not None or not (found.public or found.owner == by.id or by.may(Role.OPERATOR)):
            raise UnknownError("no added game is called %(mark)r", mark=shorten(label.removeprefix(MARK), 40))
        return f"{MARK}{found.name}"


class AddedGames(Registered[AddedGame]):
    """All games that were added."""

    TABLE = ADDED_GAMES
    KIND = Reason("added game")

    def __init__(self, database: Database, played: Sequence[Callable[[Connection, str], bool]]) -> None:
        super().__init__(database)
        self._played = played
        """What tells whether somebody has something for a game."""

    def add(
        self,
        by: Account,
        rules: Added,
        *,
        url: str,
        engine: str,
        interface: str,
        about: str,
        framed: bool = False,
        public: bool = True,
    ) -> AddedGame:
        """Add a game; whether its programs answer is for the caller to try."""
        if fold(rules.key) in {fold(one.set) for one in wired()}:
            raise NameTakenError("a game of the house is called %(key)r, or something that looks like it", key=rules.key)
        if framed and rules.hides:
            raise UnfitError("framed", "a referee in a player's browser would show him both boards")
        sheet = _sheet(about)
        return self._add(
            by,
            rules.name,
            rules.key,
            url,
            public,
            engine=check_url(engine, "engine"),
            interface=check_url(interface, "interface"),
            about=sheet,
            board=rules.board,
            simultaneous=rules.simultaneous,
            open=isinstance(rules, AddedPair) and rules.open,
            framed=framed,
        )

    def edit(
        self,
        by: Account,
        number: AddedGameId,
        *,
        url: str | None = None,
        engine: str | None = None,
        interface: str | None = None,
        about: str | None = None,
        public: bool | None = None,
    ) -> AddedGame:
        """Change what is given of one's own game; its name and its rules stay."""
        more: dict[str, object] = {"public": public}
        for name, address in (("engine", engine), ("interface", interface)):
            more[name] = None if address is None else check_url(address, name)
        more["about"] = None if about is None else _sheet(about)
        return self._edit(by, number, None, url, **more)

    def called(self, name: str) -> AddedGame:
        """Return the game of a name, whoever asks; `UnknownError`."""
        with self._database.reading() as connection:
            sought = fold(name) if KEY.fullmatch(name) else ""
            found = row_of(connection, sought)
        if found is None:
            raise UnknownError("no added game has this name")
        return self._read(found)

    def labelled(self, label: str, by: Account | None = None) -> AddedGame | None:
        """Return the game in use that a label names, if this person may see it; None: it names none of these."""
        try:
            found = self.called(key_of(label))
        except UnknownError:
            return None
        return found if found.retired is None and found.seen_by(by) else None

    def judges(self, game: AnyGame) -> AddedGame:
        """Return the game whose referee is to judge a match of these rules, for the house; `StageError` says why he cannot."""
        try:
            found = self.called(game.called)
        except UnknownError:
            raise StageError("%(called)s is not there any more", called=game.called) from None
        if found.retired is not None or found.rules != game:
            said = "%(called)s is retired" if found.retired is not None else "%(called)s is another game now"
            raise StageError(said, called=game.called)
        return found

    def erase(self, connection: Connection, account: Account) -> None:
        """Remove somebody's games; where others have engines, interfaces or competitions for one, name and rules stay, retired.

        Nobody else's game may come by that name, and by what was played under it.
        """
        blank = {"url": "", "engine": "", "interface": "", "about": "", "public": False, "fault": ""}
        mine = select(ADDED_GAMES.c.id, ADDED_GAMES.c.name).where(ADDED_GAMES.c.owner == account.id)
        for number, name in connection.execute(mine).all():
            forget_programs(connection, names=(name, f"{MODEL}{name}"))
            this = ADDED_GAMES.c.id == number
            if any(played(connection, f"{MARK}{name}") for played in self._played):
                connection.execute(update(ADDED_GAMES).where(this).values(**blank, retired=self._database.now()))
            else:
                connection.execute(delete(ADDED_GAMES).where(this))

    def _check_game(self, by: Account, label: str) -> str:  # noqa: ARG002 - it is one that is being added
        return check_game(label)

    def _most(self, account: Account) -> int:  # noqa: ARG002 - the same for everybody
        return self._database.settings.interfaces

    def _read(self, row: Sequence[Any]) -> AddedGame:
        number, owner, game, name, _, *rest = row
        return AddedGame(AddedGameId(number), AccountId(owner), game, name, *rest)
