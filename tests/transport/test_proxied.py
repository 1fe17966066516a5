"""A balancer says for whom it speaks: both versions, fed whole and octet by octet, and everything that is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import ProtocolError
from arbitre.transport.proxied import LONGEST_LINE, LONGEST_REST, SECOND, ProxyHeader, read_header

FOUR = bytes([192, 0, 2, 7, 198, 51, 100, 1, 0x30, 0x39, 0x16, 0x91])
SIX = bytes.fromhex("20010db800000000000000000000000720010db800000000000000000000000130391691")

GOOD = {
    b"PROXY TCP4 192.0.2.7 198.51.100.1 12345 5777\r\n": "192.0.2.7",
    b"PROXY TCP6 2001:db8::7 2001:db8::1 12345 5777\r\n": "2001:db8::7",
    b"PROXY UNKNOWN\r\n": "",
    b"PROXY UNKNOWN ffff:: ffff:: 1 2\r\n": "",
    SECOND + b"\x21\x11\x00\x0c" + FOUR: "192.0.2.7",
    SECOND + b"\x21\x21\x00\x24" + SIX: "2001:db8::7",
    SECOND + b"\x21\x11\x00\x10" + FOUR + b"\x04\x00\x01\x00": "192.0.2.7",
    SECOND + b"\x20\x00\x00\x00": "",
}
BAD = (
    b"A",
    b"PROXYTCP4 192.0.2.7 198.51.100.1 12345 5777\r\n",
    b"PROXY TCP4 192.0.2.7 198.51.100.1 12345\r\n",
    b"PROXY TCP4 192.0.2.7 198.51.100.1 12345 65536\r\n",
    b"PROXY TCP4 192.0.2.7 198.51.100.1 12345 +577\r\n",
    b"PROXY TCP4 192.0.2.777 198.51.100.1 12345 5777\r\n",
    b"PROXY TCP4 2001:db8::7 2001:db8::1 12345 5777\r\n",
    b"PROXY TCP6 192.0.2.7 198.51.100.1 12345 5777\r\n",
    b"PROXY UDP4 192.0.2.7 198.51.100.1 12345 5777\r\n",
    b"PROXY " + b"x" * LONGEST_LINE,
    SECOND + b"\x11\x11\x00\x0c" + FOUR,
    SECOND + b"\x22\x11\x00\x0c" + FOUR,
    SECOND + b"\x21\x12\x00\x0c" + FOUR,
    SECOND + b"\x21\x31\x00\x0c" + FOUR,
    SECOND + b"\x21\x11\x00\x0b" + FOUR,
    SECOND + b"\x21\x21\x00\x0c" + FOUR,
    SECOND + b"\x21\x11" + (LONGEST_REST + 1).to_bytes(2, "big"),
)


@pytest.mark.parametrize("header", GOOD, ids=range(len(GOOD)))
def test_a_header_names_an_address_however_it_comes(header: bytes) -> None:
    for count in range(len(header)):
        assert read_header(header[:count]) is None
    assert read_header(header) == read_header(header + b"more") == ProxyHeader(GOOD[header], len(header))


@pytest.mark.parametrize("header", BAD, ids=range(len(BAD)))
def test_what_is_no_header_is_refused(header: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_header(header)


@given(st.binary(max_size=300), st.sampled_from((b"", b"PROXY ", SECOND, SECOND + b"\x21")))
def test_anything_is_a_header_or_refused_or_too_short(data: bytes, start: bytes) -> None:
    try:
        found = read_header(start + data)
    except ProtocolError:
        return
    assert found is None or found.octets <= len(start + data)
