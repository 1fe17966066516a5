"""The desk of the Kriegspiel referee: a file on disk, this machine's memory of it, and passwords that are slow to guess.

Every surface, scripts and terminal program, goes through a `Desk`. What a player does is on disk before the answer is shown.
A file is opened here, or by the site that it names; surfaces see a standing and a player, and no difference.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from time import sleep
from typing import TypeAlias

from arbitre.crypto.passwords import USUAL, Work
from arbitre.crypto.sealing import SITE, provider
from arbitre.errors import GameFileError, GameStageError, SiteError, refusal
from arbitre.games.game import Seat
from arbitre.kref.course import Mode
from arbitre.kref.file import LONGEST, Envelope, read_envelope
from arbitre.kref.game import GameFile, call_game, read_game
from arbitre.kref.sites import SiteGame, call_at_site, read_at_site, say_again, site_of
from arbitre.kref.standing import Player
from arbitre.records.heads import Heads, replace
from arbitre.records.keyring import configuration

Game: TypeAlias = GameFile | SiteGame
"""A game whose file was read, here or by its site."""


class Desk:
    """One file and its game."""

    def __init__(
        self,
        path: Path,
        state: Path,
        commands: Path | None = None,
        wait: Callable[[float], None] = sleep,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.path = path
        self.heads = Heads(state)
        self.providers = partial(provider, commands=commands or configuration() / "sealing")
        self.wait = wait
        self.today = today

    def call(
        self,
        name: str,
        player: str,
        password: str,
        sealing: str = "default",
        mode: Mode = "classic",
        options: Mapping[str, object] | None = None,
        work: Work = USUAL,
    ) -> Player:
        """Call a game as Black and write its file, which must not exist yet."""
        if self.path.exists():
            raise GameFileError("%(path)s exists: choose another name", path=self.path)
        today = self.today().isoformat()
        seated: Player
        if sealing.startswith(SITE):
            site = site_of(sealing)
            seated = call_at_site(site, name, player, password, mode, options, work, date=today, memory=self.heads)
        else:
            seated = call_game(name, player, password, sealing, self.providers(sealing), mode, options, work, date=today)
        with self.heads.locked(seated.standing.game):
            self.save(seated)
        return seated

    def read(self) -> Game:
        """Read the file and hear its log, or let its site do so, and refuse what this machine's memory refuses."""
        envelope = read_envelope(self._text())
        if self.heads.promised(envelope.game):
            with self.heads.locked(envelope.game):
                return self._read()
        return self._read()

    def _read(self) -> Game:
        envelope = self._caught_up(read_envelope(self._text()))
        if site := site_of(envelope.provider):
            self.heads.check_site(envelope.game, site, self.path)
            return read_at_site(envelope, self.heads)
        game = read_game(envelope.text(), self.providers)
        self.heads.check(game.game, game.chain, game.ply, self.path)
        return game

    def _caught_up(self, envelope: Envelope) -> Envelope:
        """Return the file after a request that a site may have answered, but whose answer did not get here."""
        request, site = self.heads.promised(envelope.game), site_of(envelope.provider)
        if not request:
            return envelope
        after = None
        if site:  # else the game is over, and its file is here
            self.heads.check_site(envelope.game, site, self.path)
            after = say_again(envelope, request)
        if after is not None:
            replace(self.path, after.text())
        self.heads.settle(envelope.game)
        return after or envelope

    def _text(self) -> str:
        try:
            with self.path.open("rb") as file:
                octets = file.read(LONGEST + 1)
        except OSError as error:
            raise GameFileError("cannot read %(path)s: %(strerror)s", path=self.path, strerror=refusal(error)) from None
        # mail comes in many encodings; all that counts is ASCII, and the rest must only not stop us
        return octets.decode("utf-8", "replace")

    @contextmanager
    def opened(self) -> Iterator[Game]:
        """Read the file with nobody else of this machine at it."""
        with self.heads.locked(read_envelope(self._text()).game):
            yield self._read()

    def join(self, game: Game, player: str, password: str, work: Work = USUAL) -> Player:
        """Seat White."""
        with self._suspected(game):
            seated = game.join(player, password, work)
        self.save(seated)
        return seated

    def login(self, game: Game, password: str, seat: Seat | None = None) -> Player:
        """Seat whom the password names, after a wait that grows with wrong ones; adjudicate the plan that waits for him."""
        with self._suspected(game):
            seated: Player = game.login(password, seat)
        self._remember(seated)
        judged, rulings = seated.adjudicate()
        if rulings:
            self.save(judged)
        return judged

    @contextmanager
    def _suspected(self, game: Game) -> Iterator[None]:
        """Count a wrong password, and nothing else that goes wrong."""
        name = game.standing().game
        self.wait(self.heads.suspect(name))
        try:
            yield
        except (GameStageError, GameFileError, SiteError):
            self.heads.acquit(name)
            raise

    def act(self, seated: Player, step: Callable[[Player], Player]) -> Player:
        """Do one thing for a player who has logged in before, if the file is still the one that he saw, and save it."""
        with self.opened() as game:
            if game.standing().head != seated.standing.head:
                raise GameFileError("%(name)s has changed meanwhile: open it again", name=self.path.name)
            after = step(seated)
            self.save(after)
        return after

    def save(self, seated: Player) -> None:
        """Write the file, then remember its head: in this order a crash between leaves a file that is merely newer."""
        replace(self.path, seated.text())
        self._remember(seated)
        self.heads.settle(seated.standing.game)

    def _remember(self, seated: Player) -> None:
        standing = seated.standing
        self.heads.remember(standing.game, standing.head, standing.ply, self.path, standing.site)
