"""A transparency log at an address, to be read (`records.log.reader`)."""

from urllib.parse import urlsplit

from arbitre.client.wire import Wire, part
from arbitre.errors import LogError, LongAnswerError, SiteError

LEAST_ANSWER = 1 << 16
"""Room for the page of an error, whatever is asked for."""


class UrlSource:
    """A log at an address: that of a site, or of its log."""

    def __init__(self, url: str) -> None:
        whole = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/log"
        self._wire = Wire(whole)

    @property
    def where(self) -> str:
        """The address."""
        return self._wire.url

    def read(self, path: str, most: int) -> bytes | None:
        """Return what lies at a path below the address."""
        try:
            return self._wire.octets("/" + "/".join(map(part, path.split("/"))), max(most, LEAST_ANSWER))
        except LongAnswerError as error:
            raise LogError(error.reason) from None
        except SiteError as error:
            if error.status == 404:
                return None
            raise

    def close(self) -> None:
        """Hang up."""
        self._wire.close()
