"""Asks the witnesses of the log to sign each checkpoint when it is published, and hands their signatures out with it.

Nobody waits for a witness: one that is slow, away or refuses is named in the log of the house, and the checkpoint is there
without it.
"""

import asyncio
import http.client
from collections.abc import Sequence
from logging import getLogger
from urllib.parse import urlsplit

from arbitre.errors import ArbitreError, LogError, SettingsError, shorten
from arbitre.records.log.checkpoint import Checkpoint
from arbitre.records.log.note import LONGEST_NOTE, WITNESS, NoteSignature, Verifier, read_verifier
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.log.witness import read_cosignatures, write_request
from arbitre.values import value

LOG = getLogger("arbitre.log")

SECONDS = 10.0


@value
class WitnessAddress:
    """A witness and where it is reached."""

    key: Verifier
    url: str


def read_witness(text: str) -> WitnessAddress:
    """Return the witness of a setting, `NAME+ID+KEY URL`; `SettingsError`."""
    key, _, url = text.strip().partition(" ")
    try:
        found, parts = read_verifier(key), urlsplit(url.strip())
        good = found.kind == WITNESS and parts.scheme in ("http", "https") and parts.hostname and not parts.query
    except (ArbitreError, ValueError):
        good = False
    if not good:
        raise SettingsError("log-witness: a key and an address, 'NAME+ID+KEY https://…', not %(text)r", text=shorten(text))
    return WitnessAddress(found, url.strip().rstrip("/"))


class Witnesses:
    """The witnesses of one log."""

    def __init__(self, log: Sequencer, addresses: Sequence[WitnessAddress]) -> None:
        self._log = log
        self._addresses = addresses
        self._sizes = dict.fromkeys((one.url for one in addresses), 0)
        """What each of them signed last, as far as we know."""
        self._rung = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        log.on_publish = self._rung.set

    def start(self) -> None:
        """Begin to ask."""
        self._rung.set()
        self._task = asyncio.ensure_future(self._course())

    async def close(self) -> None:
        """Ask no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _course(self) -> None:
        while True:
            await self._rung.wait()
            self._rung.clear()
            await self.round()

    async def round(self) -> None:
        """Ask every witness once to sign the newest checkpoint."""
        await asyncio.gather(*map(self._ask, self._addresses))

    async def _ask(self, witness: WitnessAddress) -> None:
        made = self._log.published
        try:
            for _ in range(2):  # the first answer may say which size the witness knows
                old = min(self._sizes[witness.url], made.size)
                body = write_request(old, self._log.consistency(old, made.size), made)
                status, answer = await asyncio.to_thread(_post, witness.url, body)
                if status == http.HTTPStatus.CONFLICT:
                    self._sizes[witness.url] = _size(answer)
                    continue
                self._log.cosigned(made, _signed(status, answer, made, witness))
                self._sizes[witness.url] = made.size
                return
            LOG.warning("the witness %s has signed more of the log than there is", witness.key.name)
        except (ArbitreError, OSError, http.client.HTTPException) as error:
            LOG.warning("the witness %s has not signed: %s", witness.key.name, error)


def _signed(status: int, answer: bytes, made: Checkpoint, witness: WitnessAddress) -> tuple[NoteSignature, ...]:
    if status != http.HTTPStatus.OK:
        why = shorten(answer.decode("utf-8", "replace").strip())
        raise LogError("%(status)s: %(why)s", status=status, why=why)
    return read_cosignatures(answer, made, witness.key)


def _size(answer: bytes) -> int:
    text = answer.decode("utf-8", "replace").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise LogError("a witness answers 409 without the size that it knows")
    return int(text)


def _post(url: str, body: bytes) -> tuple[int, bytes]:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    line = kind(parts.hostname or "", parts.port, timeout=SECONDS)
    try:
        line.request("POST", f"{parts.path}/add-checkpoint", body, {"Content-Type": "text/plain", "User-Agent": "arbitre"})
        response = line.getresponse()
        return response.status, response.read(LONGEST_NOTE)
    finally:
        line.close()
