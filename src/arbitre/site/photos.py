"""Photographed positions: a board that somebody keeps, to start games from (spec: tournoyons, section 7).

A photo holds the whole truth of a position. Whether its owner may know it (a hidden game that goes on) the caller must have
asked before; what is kept here was read by the game's own notation, so it can be played from.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NewType

from sqlalchemy import Connection, delete, func, insert, select, update

from arbitre.errors import QuotaError, UnfitError, UnknownError
from arbitre.games.catalogue import game as game_called
from arbitre.games.catalogue import options_of
from arbitre.games.game import AnyGame
from arbitre.games.notation import notation_of
from arbitre.records.event import canonical
from arbitre.records.tables import PHOTOS
from arbitre.site.accounts import Account, AccountId
from arbitre.site.database import Database
from arbitre.site.forms import check_title
from arbitre.values import value

PhotoId = NewType("PhotoId", int)

LONGEST_STATE = 20_000


@value
class Photo:
    """A position that was kept."""

    id: PhotoId
    owner: AccountId
    title: str
    game: str
    options: Mapping[str, object]
    """Those that differ from the game's own."""
    state: str
    """In canonical notation."""
    created: int

    def board(self) -> AnyGame:
        """Return the game with its options."""
        return game_called(self.game, self.options)


def _photo(row: Sequence[Any]) -> Photo:
    number, owner, title, game, options, state, created = row
    return Photo(PhotoId(number), AccountId(owner), title, game, json.loads(options), state, created)


class Photos:
    """All photos."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, by: Account, title: str, game: AnyGame, state: str) -> Photo:
        """Keep a position, the same under the same title once; `PositionError` if it is none of the game."""
        if len(state) > LONGEST_STATE:
            raise UnfitError(
                "position", "at most %(longest_state)s characters, not %(state)s", longest_state=LONGEST_STATE, state=len(state)
            )
        notation = notation_of(game)
        made = {
            "owner": by.id,
            "title": check_title(title),
            "game": game.name,
            "options": canonical(options_of(game)),
            "state": notation.write_state(notation.read_state(state)),
        }
        most = self._database.settings.photos
        with self._database.writing() as connection:
            same = select(PHOTOS).where(*(PHOTOS.c[name] == said for name, said in made.items()))
            if (kept := connection.execute(same).first()) is not None:
                return _photo(kept)
            mine = select(func.count()).select_from(PHOTOS).where(PHOTOS.c.owner == by.id)
            if connection.execute(mine).scalar_one() >= most:
                raise QuotaError("%(most)s photos are the most one account may have: throw one away first", most=most)
            return _photo(connection.execute(insert(PHOTOS).values(**made, created=self._database.now()).returning(PHOTOS)).one())

    def of(self, account: Account, game: str | None = None) -> tuple[Photo, ...]:
        """Return somebody's photos, the newest first."""
        asked = select(PHOTOS).where(PHOTOS.c.owner == account.id)
        if game is not None:
            asked = asked.where(PHOTOS.c.game == game[:100])
        with self._database.reading() as connection:
            return tuple(map(_photo, connection.execute(asked.order_by(PHOTOS.c.id.desc()))))

    def get(self, by: Account, number: PhotoId) -> Photo:
        """Return one's own photo."""
        with self._database.reading() as connection:
            found = connection.execute(select(PHOTOS).where(PHOTOS.c.id == number, PHOTOS.c.owner == by.id)).first()
        if found is None:
            raise UnknownError("you have no photo with the number %(number)s", number=number)
        return _photo(found)

    def rename(self, by: Account, number: PhotoId, title: str) -> Photo:
        """Give one's own photo another title."""
        self.get(by, number)
        with self._database.writing() as connection:
            changed = update(PHOTOS).where(PHOTOS.c.id == number, PHOTOS.c.owner == by.id)
            connection.execute(changed.values(title=check_title(title)))
        return self.get(by, number)

    def remove(self, by: Account, number: PhotoId) -> None:
        """Throw one's own photo away."""
        with self._database.writing() as connection:
            if connection.execute(delete(PHOTOS).where(PHOTOS.c.id == number, PHOTOS.c.owner == by.id)).rowcount != 1:
                raise UnknownError("you have no photo with the number %(number)s", number=number)

    def erase(self, connection: Connection, account: Account) -> None:
        """Throw away all of somebody's."""
        connection.execute(delete(PHOTOS).where(PHOTOS.c.owner == account.id))
