"""The desk of the Kriegspiel referee: a file on disk, this machine's memory of it, and passwords that are slow to guess.

Every surface, scripts and terminal program, goes through a `Desk`. What a player does is on disk before the answer is shown.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from time import sleep

from arbitre.crypto.passwords import USUAL, Work
from arbitre.crypto.sealing import provider
from arbitre.errors import GameFileError, GameStageError, refusal
from arbitre.games.game import Seat
from arbitre.kref.course import Mode
from arbitre.kref.file import LONGEST, read_envelope
from arbitre.kref.game import GameFile, Seated, call_game, read_game
from arbitre.records.heads import Heads, replace
from arbitre.records.keyring import configuration


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
    ) -> Seated:
        """Call a game as Black and write its file, which must not exist yet."""
        if self.path.exists():
            raise GameFileError("%(path)s exists: choose another name", path=self.path)
        today = self.today().isoformat()
        seated = call_game(name, player, password, sealing, self.providers(sealing), mode, options, work, date=today)
        with self.heads.locked(seated.file.game):
            self.save(seated)
        return seated

    def read(self) -> GameFile:
        """Read the file and hear its log, and refuse what this machine's memory refuses."""
        game = read_game(self._text(), self.providers)
        self.heads.check(game.game, game.chain, game.ply, self.path)
        return game

    def _text(self) -> str:
        try:
            with self.path.open("rb") as file:
                octets = file.read(LONGEST + 1)
        except OSError as error:
            raise GameFileError("cannot read %(path)s: %(strerror)s", path=self.path, strerror=refusal(error)) from None
        # mail comes in many encodings; all that counts is ASCII, and the rest must only not stop us
        return octets.decode("utf-8", "replace")

    @contextmanager
    def opened(self) -> Iterator[GameFile]:
        """Read the file with nobody else of this machine at it."""
        with self.heads.locked(read_envelope(self._text()).game):
            yield self.read()

    def join(self, game: GameFile, player: str, password: str, work: Work = USUAL) -> Seated:
        """Seat White."""
        with self._suspected(game):
            seated = game.join(player, password, work)
        self.save(seated)
        return seated

    def login(self, game: GameFile, password: str, seat: Seat | None = None) -> Seated:
        """Seat whom the password names, after a wait that grows with wrong ones; adjudicate the plan that waits for him."""
        with self._suspected(game):
            seated = game.login(password, seat)
        self.heads.remember(game.game, game.chain, game.ply, self.path)
        judged, rulings = seated.adjudicate()
        if rulings:
            self.save(judged)
        return judged

    @contextmanager
    def _suspected(self, game: GameFile) -> Iterator[None]:
        """Count a wrong password, and nothing else that goes wrong."""
        self.wait(self.heads.suspect(game.game))
        try:
            yield
        except GameStageError:
            self.heads.acquit(game.game)
            raise

    def act(self, seated: Seated, step: Callable[[Seated], Seated]) -> Seated:
        """Do one thing for a player who has logged in before, if the file is still the one that he saw, and save it."""
        with self.opened() as game:
            if game.chain != seated.file.chain:
                raise GameFileError("%(name)s has changed meanwhile: open it again", name=self.path.name)
            after = step(seated)
            self.save(after)
        return after

    def save(self, seated: Seated) -> None:
        """Write the file, then remember its head: in this order a crash between leaves a file that is merely newer."""
        replace(self.path, seated.file.text())
        file = seated.file
        self.heads.remember(file.game, file.chain, file.ply, self.path)
