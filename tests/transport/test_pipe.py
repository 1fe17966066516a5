"""The line protocol of bots on a pipe: one table drives readers and writers, fed whole, in octets, and with more behind."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import HouseError
from arbitre.games.catalogue import game
from arbitre.reasons import Reason
from arbitre.transport.pipe import (
    LONGEST_LINE,
    MOST_COMMENT,
    Agreed,
    Asked,
    BotSide,
    Called,
    Declined,
    Drawn,
    Ended,
    Expects,
    FromBot,
    FromReferee,
    Garbled,
    Hello,
    Moved,
    Offered,
    Opened,
    Recorded,
    RefereeSide,
    Refused,
    Resigned,
    Shown,
    Signed,
    flat,
)
from tests.reasons import gives

game("tictactoe")  # its codes are declared with its rules

KEY, SIGNATURE, PROMISE, HEAD, SALT = "0a" * 32, "1b" * 64, "2c" * 32, "3d" * 32, "4e" * 32

FROM_REFEREE: list[tuple[str, FromReferee]] = [
    ("hello 2 tictactoe 1", Called("tictactoe", 0)),
    ("hello 2 rochambeau 3 states=5 players=3", Called("rochambeau", 2, (("states", "5"), ("players", "3")))),
    (
        f"hello 2 poker 1 match=m-1 commitment={PROMISE} referee={KEY} hands=3",
        Called("poker", 0, (("hands", "3"),), "m-1", PROMISE, KEY),
    ),
    (f'opening 10 {SALT} {SIGNATURE}\n{{"at":0}}é', Opened('{"at":0}é'.encode(), SALT, SIGNATURE)),
    ("position 000010000 2", Shown("000010000 2")),
    ("position ♔ & pièces", Shown("♔ & pièces")),
    (f"ask 1 - {HEAD} 1 2 3", Asked(1, None, HEAD, ("1", "2", "3"))),
    (f"ask 12 60000 {HEAD}", Asked(12, 60_000, HEAD)),
    (f"ask 2 0 {HEAD} 32x28 31-27", Asked(2, 0, HEAD, ("32x28", "31-27"))),
    ("offered", Offered()),
    ('refused {"cell":5,"code":"occupied"}', Refused(Reason("occupied", cell=5))),
    ('end 1 rules {"code":"three-in-a-row","seat":0}', Ended(Fraction(1), "rules", Reason("three-in-a-row", seat=0))),
    (
        'end 1/2 adjudicated {"code":"plies-played","plies":9}',
        Ended(Fraction(1, 2), "adjudicated", Reason("plies-played", plies=9)),
    ),
    (
        'end - abandoned {"code":"quoted","text":"the disk is full"}',
        Ended(None, "abandoned", Reason("quoted", text="the disk is full")),
    ),
    ('end 0 resigned {"code":"gave-up"}', Ended(Fraction(0), "resigned", Reason("gave-up"))),
    ("record 2 8\none\ntwo", Recorded(2, b"one\ntwo\n")),
]

FROM_BOT: list[tuple[str, FromBot]] = [
    ("hello 2", Hello()),
    ("hello 2 Deep Pink", Hello("Deep Pink")),
    (f"hello 2 key={KEY}", Hello("", KEY)),
    (f"hello 2 Deep Pink 2 key={KEY}", Hello("Deep Pink 2", KEY)),
    (f"hello 2 nonce={PROMISE}", Hello("", "", PROMISE)),
    (f"hello 2 Pink key={KEY} nonce={PROMISE}", Hello("Pink", KEY, PROMISE)),
    ("agree", Agreed()),
    (f"agree nonce={PROMISE}", Agreed(PROMISE)),
    (f"agree nonce={PROMISE} sign={SIGNATURE}", Agreed(PROMISE, SIGNATURE)),
    (f"agree sign={SIGNATURE}", Agreed("", SIGNATURE)),
    ("decline opening", Declined("opening")),
    ("move 5", Moved("5")),
    ("move 32x28x19 (23)", Moved("32x28x19 (23)")),
    ("move roi à côté", Moved("roi à côté")),
    ("move", Moved("")),
    ("offer 32x28x19 (23)", Moved("32x28x19 (23)", offers=True)),
    ("draw", Drawn()),
    ("resign", Resigned()),
    ("resign it is no use", Resigned("it is no use")),
    (f"sign {SIGNATURE}", Signed(SIGNATURE)),
    (f"decline too-long {SIGNATURE}", Declined("too-long", SIGNATURE)),
]

GARBLED_BY_BOT = [
    ("Hello 1", "pipe-unknown"),
    ("MOVE 5", "pipe-unknown"),
    ("I resign", "pipe-unknown"),
    (" move 5", "pipe-unknown"),
    ("draw, please", "pipe-unknown"),
    ("draw 5", Reason("pipe-form", form="draw")),
    ("hello", Reason("pipe-version", given="")),
    ("hello 1", Reason("pipe-version", given="1")),
    ("hello one", Reason("pipe-version", given="one")),
    ("hello 2 key=12", Reason("pipe-hexadecimal", octets=32)),
    (f"hello 2 key={KEY.upper()}", Reason("pipe-hexadecimal", octets=32)),
    (f"sign {KEY}", Reason("pipe-hexadecimal", octets=64)),
    (f"sign {SIGNATURE} {KEY}", Reason("pipe-hexadecimal", octets=64)),
    (f"agree nonce={SIGNATURE}", Reason("pipe-hexadecimal", octets=32)),
    (f"agree {PROMISE}", "pipe-form"),
    ("decline", "pipe-form"),
    ("decline Because", "pipe-form"),
    ("decline chain 12", Reason("pipe-hexadecimal", octets=64)),
    ("move 5\x00", Reason("pipe-control", character=7)),
    ("move\t5", Reason("pipe-control", character=5)),
    ("move 5\r\r", Reason("pipe-control", character=7)),
    ("move \x1b[2J", "pipe-control"),
    ("move \x9b2J", "pipe-control"),
    ("x" * LONGEST_LINE, "pipe-unknown"),
    ("x" * (LONGEST_LINE + 1), Reason("pipe-long-line", most=LONGEST_LINE)),
]

GARBLED_BY_REFEREE = [
    ("hello 1 tictactoe 1", "pipe-version"),
    ("hello 2 tictactoe 1 match=m commitment=12", "pipe-hexadecimal"),
    ("hello 2 tictactoe", "pipe-form"),
    ("hello 2 tictactoe 0", "pipe-number"),
    ("hello 2 tictactoe 1 states", "pipe-form"),
    ("ask 1", "pipe-form"),
    ("ask 1 -", "pipe-form"),
    (f"ask one 5 {HEAD}", "pipe-number"),
    (f"ask 1 soon {HEAD}", "pipe-number"),
    ("ask 1 - 1 2 3", "pipe-hexadecimal"),
    ("end won", "pipe-form"),
    ("end 1/0 rules", "pipe-form"),
    ("opening 5", "pipe-form"),
    (f"opening 0 {SALT} {SIGNATURE}", "pipe-number"),
    (f"opening 9999999 {SALT} {SIGNATURE}", "pipe-number"),
    ("record 1", "pipe-form"),
    ("record 1 0", "pipe-number"),
    ("record 1 99999999", "pipe-number"),
]


def expecting(event: FromBot | None) -> RefereeSide:
    """Return a referee's side that waits for such an event."""
    side = RefereeSide()
    side.hello("tictactoe", 0)
    if isinstance(event, Moved | Drawn | Resigned):
        side.receive(b"hello 2\n")
        side.ask("000000000 1", 1, None, HEAD)
    elif isinstance(event, Agreed) or (isinstance(event, Declined) and not event.signature):
        side.receive(b"hello 2\n")
        side.opening("{}", bytes(32), bytes(64))
    elif isinstance(event, Signed | Declined):
        side.end(Fraction(1), "rules", Reason("three-in-a-row", seat=0))
        side.record(["{}"])
    return side


def whole(data: bytes) -> Iterator[bytes]:
    yield data


def octets(data: bytes) -> Iterator[bytes]:
    for one in data:
        yield bytes([one])


def halves(data: bytes) -> Iterator[bytes]:
    yield from (data[: len(data) // 2], data[len(data) // 2 :])


FEEDS = pytest.mark.parametrize("feed", [whole, octets, halves])
Feed = Callable[[bytes], Iterator[bytes]]


def heard(side: RefereeSide | BotSide, feed: Feed, data: bytes) -> list[object]:
    return [event for part in feed(data) for event in side.receive(part)]


# ── one table, both ways ───────────────────────────────────────────────────────────────────────────────────────────


@FEEDS
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("line", "event"), FROM_BOT, ids=[line[:20] for line, _ in FROM_BOT])
def test_bots_lines_are_read(line: str, event: FromBot, end: str, feed: Feed) -> None:
    assert heard(expecting(event), feed, f"{line}{end}".encode()) == [event]


@pytest.mark.parametrize(("line", "event"), FROM_BOT, ids=[line[:20] for line, _ in FROM_BOT])
def test_bots_lines_are_written(line: str, event: FromBot) -> None:
    side = BotSide()
    if isinstance(event, Hello):
        written = side.hello(event.name, event.key, event.promise)
    elif isinstance(event, Agreed):
        written = side.agree(event.nonce, event.signature)
    elif isinstance(event, Declined):
        written = side.decline(event.code, event.signature)
    elif isinstance(event, Moved):
        written = side.move(event.text, offers=event.offers)
    elif isinstance(event, Drawn):
        written = side.draw()
    elif isinstance(event, Resigned):
        written = side.resign(event.why)
    else:
        written = side.sign(event.signature)
    assert written == f"{line}\n".encode()


@FEEDS
@pytest.mark.parametrize("more", ["", "# more", "position unfinished"])
@pytest.mark.parametrize(("line", "event"), FROM_REFEREE, ids=[line[:20] for line, _ in FROM_REFEREE])
def test_referees_lines_are_read(line: str, event: FromReferee, more: str, feed: Feed) -> None:
    assert heard(BotSide(), feed, f"{line}\n{more}".encode()) == [event]


@pytest.mark.parametrize(("line", "event"), FROM_REFEREE, ids=[line[:20] for line, _ in FROM_REFEREE])
def test_referees_lines_are_written(line: str, event: FromReferee) -> None:
    side = expecting(Moved("") if isinstance(event, Shown | Asked | Refused | Offered | Opened) else None)
    side.receive(b"move 5\n")
    if isinstance(event, Called):
        proof = {"match": event.match, "commitment": event.commitment, "referee": event.referee}
        written = side.hello(event.game, event.seat, dict(event.options), **proof)
    elif isinstance(event, Opened):
        written = side.opening(event.text.decode(), bytes.fromhex(event.salt), bytes.fromhex(event.signature))
    elif isinstance(event, Shown):
        written = side.ask(event.text, 1, None, HEAD).splitlines(keepends=True)[0]
    elif isinstance(event, Asked):
        written = side.ask("x", event.turn, event.left, event.head, event.moves).splitlines(keepends=True)[1]
    elif isinstance(event, Refused):
        written = side.ask("x", 1, None, HEAD, refused=event.why).splitlines(keepends=True)[0]
    elif isinstance(event, Offered):
        written = side.ask("x", 1, None, HEAD, offered=True).splitlines(keepends=True)[0]
    elif isinstance(event, Ended):
        written = side.end(event.score, event.termination, event.why)
    else:
        assert isinstance(event, Recorded)
        side.end(None, "rules", Reason("board-full"))
        written = side.record(event.text.decode().splitlines())
    assert written == f"{line}\n".encode()


# ── whose fault it is ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("feed", [whole, halves])
@pytest.mark.parametrize(("line", "why"), GARBLED_BY_BOT, ids=[line[:20] for line, _ in GARBLED_BY_BOT])
def test_what_a_bot_may_not_say(line: str, why: str | Reason, feed: Feed) -> None:
    side = expecting(
        Signed("")
        if line.startswith(("sign", "decline chain"))
        else Agreed()
        if line.startswith(("agree", "decline"))
        else Moved("")
        if line.startswith("move")
        else None
    )
    [garbled] = heard(side, feed, f"{line}\nmove 5\n".encode())
    assert isinstance(garbled, Garbled)
    assert gives(garbled.why, why), garbled.why
    assert len(repr(garbled.why)) < 300
    assert side.receive(b"move 5\n") == []


@pytest.mark.parametrize(("line", "why"), GARBLED_BY_REFEREE, ids=[line[:20] for line, _ in GARBLED_BY_REFEREE])
def test_what_a_referee_may_not_say(line: str, why: str) -> None:
    side = BotSide()
    [garbled] = side.receive(f"{line}\nposition 1\n".encode())
    assert isinstance(garbled, Garbled)
    assert gives(garbled.why, why), garbled.why
    assert side.receive(b"position 1\n") == []


def test_not_utf8() -> None:
    [garbled] = expecting(Moved("")).receive(b"move \xe0 droite\n")
    assert garbled == Garbled(Reason("pipe-not-utf-8", octet=6, line="move \\xe0 droite"))


def test_a_later_version_may_say_more() -> None:
    assert BotSide().receive(f"remark well played\nask 1 - {HEAD} 5\n".encode()) == [Asked(1, None, HEAD, ("5",))]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda side: side.ask("two\nlines", 1, None, HEAD),
        lambda side: side.ask("x", 1, None, HEAD, ["a\x00b"]),
        lambda side: side.hello("tictactoe", 0, {"name": "two words"}),
        lambda side: side.record(["{}"]),
        lambda side: (side.ask("x", 1, None, HEAD), side.ask("x", 1, None, HEAD)),
    ],
    ids=["position", "move", "option", "signature before the end", "two questions"],
)
def test_what_we_would_say_wrong_is_our_fault(wrong: Callable[[RefereeSide], object]) -> None:
    side = RefereeSide()
    side.hello("tictactoe", 0)
    side.receive(b"hello 2\n")
    with pytest.raises(HouseError):
        wrong(side)


# ── speaking out of turn ───────────────────────────────────────────────────────────────────────────────────────────


@FEEDS
@pytest.mark.parametrize(
    ("said", "events"),
    [
        ("move 5\nmove 6\n", [Moved("5"), Garbled(Reason("pipe-not-asked", line="move 6"))]),
        ("move 5\nresign\n", [Moved("5"), Garbled(Reason("pipe-not-asked", line="resign"))]),
        ("resign\nmove 5\n", [Resigned(), Garbled(Reason("pipe-not-asked", line="move 5"))]),
        ("hello 2\n", [Garbled(Reason("pipe-not-due", line="hello 2", due="move or resign"))]),
        (
            f"sign {SIGNATURE}\n",
            [Garbled(Reason("pipe-not-due", line=f"sign {SIGNATURE[:74]}…", due="move or resign"))],
        ),
    ],
)
def test_one_line_for_each_question(said: str, events: list[object], feed: Feed) -> None:
    assert heard(expecting(Moved("")), feed, said.encode()) == events


def test_hello_comes_first() -> None:
    assert expecting(None).receive(b"move 5\n") == [Garbled(Reason("pipe-not-due", line="move 5", due="hello"))]


def test_a_question_that_ran_out_of_time_is_still_owed_an_answer() -> None:
    side = expecting(Moved(""))
    side.expire()
    side.ask("000000000 2", 2, 100, HEAD)
    side.expire()
    side.ask("000000000 3", 3, 100, HEAD)
    assert side.receive(b"move 1\nmove 2\n") == []
    assert side.receive(b"move 3\n") == [Moved("3")]
    assert side.receive(b"move 4\n") == [Garbled(Reason("pipe-not-asked", line="move 4"))]


def test_nothing_is_owed_when_the_answer_was_in_time() -> None:
    side = expecting(Moved(""))
    side.receive(b"move 1\n")
    side.expire()
    assert side.owed == 0


@FEEDS
def test_after_the_end_nothing_matters_but_a_signature(feed: Feed) -> None:
    side = expecting(Moved(""))
    side.end(Fraction(0), "out-of-time", Reason("no-answer"))
    assert heard(side, feed, b"move 5\nwhat?\n") == []
    side.record(["{}"])
    assert heard(side, feed, f"move 5\nsign {SIGNATURE}\nsign {SIGNATURE}\n".encode()) == [Signed(SIGNATURE)]
    assert side.expects is Expects.SILENCE


# ── comments and bounds ────────────────────────────────────────────────────────────────────────────────────────────


@FEEDS
def test_comments_and_empty_lines_are_passed_over(feed: Feed) -> None:
    assert heard(expecting(Moved("")), feed, b"# depth 3\n\n#\xff\x00\r\n\r\nmove 5\n# done\n") == [Moved("5")]


def test_comments_are_bounded_between_two_questions() -> None:
    side = expecting(Moved(""))
    line = b"#" * 999 + b"\n"
    for turn in range(2, 5):
        for _ in range(MOST_COMMENT // 1000):
            assert side.receive(line) == []
        assert side.receive(b"move 5\n") == [Moved("5")]
        side.ask("x", turn, None, HEAD)
    assert side.receive(line * (MOST_COMMENT // 1000 + 1))[-1:] == [Garbled(Reason("pipe-comments", most=MOST_COMMENT))]


def test_what_is_kept_is_bounded() -> None:
    side = expecting(Moved(""))
    assert side.receive(b"x" * LONGEST_LINE) == []
    assert side.unfinished == b"x" * LONGEST_LINE
    assert side.receive(b"x") == [Garbled(Reason("pipe-long-line", most=LONGEST_LINE))]
    assert side.receive(b"x" * 1_000_000) == []
    assert len(side.unfinished) == LONGEST_LINE + 1


def test_moves_that_would_not_survive_the_list_are_not_listed() -> None:
    side = RefereeSide()
    side.receive(b"hello 2\n")
    assert side.ask("x", 1, None, HEAD, ["1", "raise 20"]) == f"position x\nask 1 - {HEAD}\n".encode()


def test_options_are_spelt_as_the_catalogue_reads_them() -> None:
    assert (
        RefereeSide().hello("chess", 1, {"free": True, "blind": False, "size": 8})
        == b"hello 2 chess 2 free=yes blind=no size=8\n"
    )


# ── everything else ────────────────────────────────────────────────────────────────────────────────────────────────

noise = st.lists(
    st.one_of(
        st.binary(max_size=30),
        st.sampled_from([line.encode() + b"\n" for line, _ in (*FROM_BOT, *FROM_REFEREE)]),
        st.sampled_from([b"\n", b"\r\n", b"#", b" ", b"move ", b"ask 1 "]),
    ),
    max_size=12,
).map(b"".join)


@given(noise, st.lists(st.integers(0, 400), max_size=6), st.sampled_from([None, Moved(""), Signed("")]))
def test_a_bots_noise_is_read_alike_however_it_is_cut(data: bytes, cuts: list[int], event: FromBot | None) -> None:
    one, other = expecting(event), expecting(event)
    at = [0, *sorted(cuts), len(data)]
    parts = [data[start:stop] for start, stop in pairwise(at)]
    assert one.receive(data) == [event for part in parts for event in other.receive(part)]


@given(noise, st.lists(st.integers(0, 400), max_size=6))
def test_a_referees_noise_is_read_alike_however_it_is_cut(data: bytes, cuts: list[int]) -> None:
    one, other = BotSide(), BotSide()
    at = [0, *sorted(cuts), len(data)]
    parts = [data[start:stop] for start, stop in pairwise(at)]
    assert one.receive(data) == [event for part in parts for event in other.receive(part)]


@given(st.text())
def test_whatever_a_bot_says_is_one_line(text: str) -> None:
    written = BotSide().move(text)
    assert written.count(b"\n") == 1
    assert expecting(Moved("")).receive(written) == [Moved(flat(text, LONGEST_LINE // 8))]


@given(st.text(), st.text())
def test_whatever_the_reasons_are_they_fit_a_line(refused: str, why: str) -> None:
    side = expecting(Moved(""))
    side.receive(b"move 1\n")
    assert side.ask("x", 1, None, HEAD, refused=Reason("quoted", text=refused)).count(b"\n") == 3
    assert len(BotSide().receive(side.end(None, "abandoned", Reason("quoted", text=why)))) == 1
