"""Games that users add: a referee, a model engine and a model interface at addresses, and a sheet (spec: tournoyons, section 6).

The name of an added game is the value of `Set` on the wire, so it is letters and digits, and no other game's, not even one of the
house's. What the rules must know of it (boards, turns, start) is settled when it is added: records depend on it.
"""

from collections.abc import Sequence
from typing import Any, NewType

from sqlalchemy import select

from arbitre.errors import NameTakenError, OptionError, StageError, UnfitError, UnknownError
from arbitre.games.added.rules import KEY, Added, AddedPair
from arbitre.games.labels import MARK, key_of
from arbitre.games.trays import TRAYS
from arbitre.reasons import Reason, reason_of
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.forms import check_about, check_game, check_url, fold
from arbitre.site.registered import Registered, Tried
from arbitre.site.tables import ADDED_GAMES
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


class AddedGames(Registered[AddedGame]):
    """All games that were added."""

    TABLE = ADDED_GAMES
    KIND = "added game"

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
        if fold(rules.key) in {fold(tray.name) for tray in TRAYS.values()}:
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
            found = connection.execute(select(ADDED_GAMES).where(ADDED_GAMES.c.folded == sought)).first()
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

    def judges(self, game: Added) -> AddedGame:
        """Return the game whose referee is to judge a match of these rules, for the house; `StageError` says why he cannot."""
        try:
            found = self.called(game.key)
        except UnknownError:
            raise StageError("%(key)s is not there any more", key=game.key) from None
        if found.retired is not None:
            raise StageError("%(key)s is retired", key=game.key)
        if found.rules != game:
            raise StageError("%(key)s is another game now", key=game.key)
        return found

    def _check_game(self, by: Account, label: str) -> str:  # noqa: ARG002 - it is one that is being added
        return check_game(label)

    def _most(self, account: Account) -> int:  # noqa: ARG002 - the same for everybody
        return self._database.settings.interfaces

    def _read(self, row: Sequence[Any]) -> AddedGame:
        number, owner, game, name, _, *rest = row
        return AddedGame(AddedGameId(number), AccountId(owner), game, name, *rest)
