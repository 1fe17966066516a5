"""What records of the site are worth: judged again, and looked at often, worked out once."""

import re
from functools import lru_cache

from arbitre.arcade.referee import PROTOCOL
from arbitre.errors import UnfinishedError, UnknownRecordError
from arbitre.records.record import Record
from arbitre.referee.verify import Finding, verify
from arbitre.site.site import Site

BOUT = re.compile(r"[0-9a-f]{12}")


def finding(site: Site, record: Record) -> Finding:
    """Return what a record of this site is worth."""
    return _verified(record.text().encode(), frozenset(key.fingerprint for key in site.store.referee_keys()))


@lru_cache(maxsize=64)
def _verified(octets: bytes, keys: frozenset[str]) -> Finding:
    return verify(octets, keys)


def bout(site: Site, name: str) -> tuple[Record, str]:
    """Return the record of a match at the arcade that is over, and the head of its chain."""
    if BOUT.fullmatch(name) is None or site.store.match(name).game != PROTOCOL:
        raise UnknownRecordError("no match of the arcade has this name")
    found = site.store.record(name)
    if found.seal is None:
        raise UnfinishedError("the record opens when the match is over")
    return found, found.seal.head
