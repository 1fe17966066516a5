"""Records for two verifiers to agree on: odd but honest matches, and what forgers with everybody's keys make of records."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState, Statement, code_hash
from arbitre.errors import ArbitreError
from arbitre.reasons import Reason
from arbitre.records.event import NOBODY, Event, Kind, read_event, write_reason
from arbitre.records.record import Chain, Record, Word
from arbitre.referee.agreement import read_agreement
from arbitre.referee.clock import read_clock
from arbitre.referee.terms import Terms
from tests.golden.make import FOLDER, NONCES, PLAYERS
from tests.referee.tables import KEY, SEED, Hearing, make_match

GAMES = ("tictactoe", "reversi", "mastermind")
"""The games whose rules the second verifier knows."""
KEYS = {key.public.hex(): key for key in PLAYERS.values()}
STARTS = {
    "tictactoe": ("", "", "120010000", "110220000 5", "111220000", "121212100", "000000000 2", "120010000 9"),
    "reversi": (
        "",
        "",
        "0" * 27 + "43" + "0" * 6 + "34" + "0" * 27 + " 2",
        "0" * 27 + "43" + "0" * 6 + "33" + "0" * 27,
        "0" * 64,
    ),
    "mastermind": (
        "",
        "",
        "ABCD,EFGH 00AABB***11FBAG",
        "ABCD,EFGH 00AABB***11FBAG 5",
        "ABCD,EFGH 40EFGH***",
        "ABCD,EFGH *** 3",
        "-,- *** 1",
    ),
}
TEXTS = (
    "1",
    "5",
    "9",
    "0",
    "x",
    "",
    "A1",
    "C4",
    "c4",
    "D3",
    "XX",
    "xx",
    "E6",
    "I9",
    "AABB",
    "aabb",
    "30ABCD",
    "ABC",
    "ABCZ",
    "AB CD",
    "99",
    "\x7f",
    "é",
    "٣",
    " 5",
)

AGREED = ("1/1", "0.5/2", "=0/1", "=2.000001/2@3", "1.5/1 =0.25/1", "5/3 =0.1/8@40")
SCORES = ("score=1", "score=-1", "score=+0", "score=2 score=-2.5", "score=-0.000001", "score=.5", "xscore=1", "score=1x", "", "é")


def honest(random: Random) -> list[Event]:
    """Return the events of a match in which all sorts of things happen."""
    name = random.choice(GAMES)
    options = (
        {"colours": random.choice((3, 8)), "pegs": random.choice((2, 4)), "lines": random.choice((2, 8))}
        if name == "mastermind"
        else None
    )
    clock = random.choice(("none", "none", "5s/move", "1m+100ms", "60s+1s", "10m"))
    terms = Terms(
        read_clock(clock),
        refusals=random.choice((None, 0, 1, 3)),
        turns=random.choice((None, None, None, 4, 9)),
        resign=random.random() < 0.8,
        acknowledge=random.random() < 0.3,
        agree=read_agreement(random.choice(AGREED)) if random.random() < 0.3 else None,
    )
    keys = {seat: key for seat, key in PLAYERS.items() if random.random() < 0.4}
    nonces = {seat: nonce for seat, nonce in NONCES.items() if random.random() < 0.3}
    start = random.choice(STARTS[name]) if options is None or options == {"colours": 8, "pegs": 4, "lines": 8} else ""
    try:
        hearing = Hearing(make_match(name, options, terms=terms, keys=keys, nonces=nonces, start=start))
    except ArbitreError:
        return honest(random)
    odd = random.choice((0.0, 0.02, 0.1))
    for _ in range(random.choice((5, 80, 200))):
        if hearing.events[-1].kind is Kind.REVEALED:
            break
        try:
            _step(hearing, random, odd, keys, nonces)
        except ArbitreError:
            continue
    if hearing.affairs.verdict is None and random.random() < 0.9:
        hearing.hear(Kind.ABANDONED, text=Reason("quoted", text="enough"), at=hearing.events[-1].at)
    return hearing.events


def _step(hearing: Hearing, random: Random, odd: float, keys: dict[int, Key], nonces: dict[int, bytes]) -> None:
    if random.random() < odd:
        hearing.hear(*_odd(hearing, random))
        return
    said = {event.seat for event in hearing.events if event.kind is Kind.AGREED}
    due = [seat for seat in {*keys, *nonces} if seat not in said]
    if due and not hearing.affairs.questions:
        seat = random.choice(due)
        hearing.agree(seat, nonces.get(seat, b""), keys.get(seat))
        return
    if not hearing.affairs.questions:
        hearing.hear(Kind.ACKNOWLEDGED, random.choice((0, 1)), at=hearing.events[-1].at)
        return
    seat = random.choice(sorted(hearing.affairs.questions))
    question = hearing.affairs.questions[seat]
    text = hearing.match.notation.write(hearing.match.game.sample(question.view, random))
    if hearing.match.terms.agree is not None and random.random() < 0.9:
        hearing.hear(Kind.NOTED, seat, random.choice(SCORES), question.asked)
    late = random.choice((0, 1, 40, 900, 5_000, 5_001, 60_000)) if hearing.match.clock.runs else 0
    hearing.say(seat, text, question.asked + late)


def _odd(hearing: Hearing, random: Random) -> tuple[Kind, int, str, int]:
    kind = random.choice(
        [one for one in Kind if one not in (Kind.OPENED, Kind.ABANDONED, Kind.LEFT, Kind.ASKED, Kind.DRAWN, Kind.ENDED)]
    )
    text = {
        Kind.SAID: random.choice(TEXTS),
        Kind.STRAY: random.choice(TEXTS),
        Kind.NOTED: random.choice(("", "rien à espérer")),
        Kind.TICKED: random.choice(("", write_reason(Reason("no-answer")))),
        Kind.DECLINED: random.choice(("opening", "no such CODE")),
    }.get(kind, random.choice(("", write_reason(Reason("quoted", text="oh")))))
    at = hearing.events[-1].at + random.choice((0, 0, 7, 5_001)) if hearing.match.clock.runs else 0
    return kind, random.choice((NOBODY, 0, 1, 1)), text, at


# ── forgers ────────────────────────────────────────────────────────────────────────────────────────────────────────


def sealed(events: Sequence[Event], random: Random | None = None) -> bytes:
    """Return a record of these events with a true chain and true signatures, whatever they say."""
    chain = Chain(SEED)
    chain.add(events)
    try:
        keys = [str(chair["key"]) for chair in json.loads(events[0].text)["chairs"]]
    except (ValueError, KeyError, TypeError, IndexError):
        keys = ["", ""]
    words = []
    for seat, public in enumerate(keys):
        state = random.choice(list(SeatState)) if random and random.random() < 0.1 else SeatState.SIGNED
        key = KEYS.get(public, KEY)
        match state if public else SeatState.KEYLESS:
            case SeatState.SIGNED:
                words.append(Word(SeatState.SIGNED, chain.subject.sign(key, Statement.PLAYED, seat).hex()))
            case SeatState.DECLINED:
                words.append(
                    Word(SeatState.DECLINED, chain.subject.sign(key, Statement.DISPUTED, seat, code_hash("end")).hex(), "end")
                )
            case other:
                words.append(Word(other))
    return Record(tuple(events), chain.seal(KEY, keys, words)).text().encode()


def forged(events: Sequence[Event], random: Random) -> bytes:
    """Return a record in which something was changed and everything signed anew."""
    changed = list(events)
    for _ in range(random.choice((1, 1, 1, 2))):
        random.choice(FORGERS)(changed, random)
    return sealed(changed or events, random)


def _another_field(events: list[Event], random: Random) -> None:
    at = random.randrange(len(events))
    event = events[at]
    match random.choice(("at", "seat", "turn", "kind")):
        case "at":
            event = event._replace(at=max(0, event.at + random.choice((-1, 1, 40, 5_000))))
        case "seat":
            event = event._replace(seat=random.choice((-1, 0, 1, 2)))
        case "turn":
            event = event._replace(turn=max(0, event.turn + random.choice((-1, 1))))
        case _:
            event = event._replace(kind=random.choice(list(Kind)))
    events[at] = event


def _another_text(events: list[Event], random: Random) -> None:
    at = random.randrange(1, len(events)) if len(events) > 1 else 0
    event = events[at]
    other = random.choice(events).text if random.random() < 0.3 else random.choice(TEXTS)
    if event.text and random.random() < 0.5:
        place = random.randrange(len(event.text))
        other = event.text[:place] + random.choice('0159abXA{}"\\,:é\x7f\u2028 ') + event.text[place + random.choice((0, 1)) :]
    events[at] = event._replace(text=other)


def _another_move(events: list[Event], random: Random) -> None:
    said = [at for at, event in enumerate(events) if event.kind is Kind.SAID]
    if said:
        at = random.choice(said)
        events[at] = events[at]._replace(text=random.choice(TEXTS))


def _dropped(events: list[Event], random: Random) -> None:
    if len(events) > 1:
        del events[random.randrange(len(events))]


def _repeated(events: list[Event], random: Random) -> None:
    at = random.randrange(len(events))
    events.insert(random.choice((at, random.randrange(len(events) + 1))), events[at])


def _swapped(events: list[Event], random: Random) -> None:
    one, other = random.randrange(len(events)), random.randrange(len(events))
    events[one], events[other] = events[other], events[one]


def _put_in(events: list[Event], random: Random) -> None:
    at = random.randrange(1, len(events) + 1)
    before = events[at - 1]
    kind = random.choice(
        (Kind.STRAY, Kind.NOTED, Kind.OFFERED, Kind.SETTLED, Kind.RESUMED, Kind.TICKED, Kind.ACKNOWLEDGED, Kind.RESIGNED)
    )
    events.insert(at, Event(kind, before.at, random.choice((-1, 0, 1, 2)), before.turn, random.choice(("", "x"))))


OPENINGS = (
    ('"resign":true', '"resign":false'),
    ('"refusals":0', '"refusals":1'),
    ('"turns":null', '"turns":3'),
    ('"turns":null', '"turns":0'),
    ('"clock":"none"', '"clock":"5s/move"'),
    ('"clock":"none"', '"clock":"9s"'),
    ('"clock":"none"', '"clock":"0s/move"'),
    ('"acknowledge":false', '"acknowledge":true'),
    ('"options":{}', '"options":{"pegs":3}'),
    ('"options":{}', '"options":{"pegs":4}'),
    ('"options":{}', '"options":{"pegs":"3"}'),
    ('"game":"tictactoe"', '"game":"reversi"'),
    ('"start":""', '"start":"120010000"'),
    ('"Ada"', '"Ada "'),
    ('"Ada"', '"\x7f"'),
    ('"Ada"', '"' + "A" * 81 + '"'),
    ('"Ada"', '"' + "😀" * 80 + '"'),
    ('"Ada"', '"\u00a0"'),
    ('"match":"test"', '"match":""'),
    ('"match":"test"', '"match":"a b"'),
    ('"match":"test"', '"match":"' + "m" * 200 + '"'),
    ('"notes":{}', '"notes":{"date":"1\\n"}'),
    ('"notes":{}', '"notes":{"Date":""}'),
    ('"notes":{}', '"notes":{"event":"é"}'),
    ('"log":null', '"log":{"key":"' + "00" * 32 + '","within":0}'),
    ('"log":null', '"log":{"key":"","within":1}'),
    ('"opened":0', '"opened":1700000000'),
    ('"opened":0', '"opened":-1'),
    ('"arbitre":2', '"arbitre":1'),
    ('"arbitre":2', '"arbitre":3'),
    ('"arbitre":2', '"arbitre":"2"'),
    ('"player":""', '"player":"x"'),
    ('"player":""', '"player":"\\u0000"'),
    ('"key":""', '"key":"' + "00" * 32 + '"'),
    ('"key":""', '"key":"01' + "00" * 31 + '"'),
    ('"promises":{}', '"promises":{"2":"' + "00" * 32 + '"}'),
    ('"promises":{}', '"promises":{"00":"' + "00" * 32 + '"}'),
    ("3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29", "01" + "00" * 31),
)
"""What an opening says, and what a forger puts there."""


def _another_opening(events: list[Event], random: Random) -> None:
    text = events[0].text
    fits = [place for place in OPENINGS if place[0] in text]
    if fits:
        old, new = random.choice(fits)
        events[0] = events[0]._replace(text=text.replace(old, new, 1))
    if random.random() < 0.9:
        events[:] = resigned(events)


def resigned(events: Sequence[Event]) -> list[Event]:
    """Return the events with agreements to the opening as it is now."""
    return [_agreed_again(events[0], event) if event.kind is Kind.AGREED else event for event in events]


def _agreed_again(opening: Event, event: Event) -> Event:
    try:
        said = json.loads(event.text)
        key = KEYS[json.loads(opening.text)["chairs"][event.seat]["key"]]
    except (ValueError, KeyError, TypeError, IndexError):
        return event
    chain = Chain(SEED)
    chain.add([opening])
    said["signature"] = chain.subject.sign(key, Statement.AGREED, event.seat).hex()
    return event._replace(text=json.dumps(said, separators=(",", ":"), sort_keys=True))


FORGERS: Sequence[Callable[[list[Event], Random], None]] = (
    _another_field,
    _another_text,
    _another_move,
    _dropped,
    _repeated,
    _swapped,
    _put_in,
    _another_opening,
)


def cut(data: bytes, random: Random) -> bytes:
    """Return a file after somebody was at it with scissors, and no key."""
    at = random.randrange(len(data))
    lines = data.splitlines(keepends=True)
    match random.choice(("flip", "drop", "put", "line", "end", "swap")):
        case "flip":
            return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]
        case "drop":
            return data[:at] + data[at + random.choice((1, 2, 40)) :]
        case "put":
            return data[:at] + random.choice((b" ", b"\n", b"\xff", b"\x00", b"\\u0000", b'"', b"\xed\xa0\x80")) + data[at:]
        case "line":
            gone = random.randrange(len(lines))
            return b"".join(lines[:gone] + lines[gone + 1 :])
        case "end":
            return b"".join(lines[: random.randrange(len(lines) + 1)])
        case _:
            one, other = random.randrange(len(lines)), random.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            return b"".join(lines)


def golden(path: Path) -> list[Event]:
    """Return the events of a golden record."""
    return [read_event(line) for line in path.read_text(encoding="utf-8").splitlines()[:-1]]


def records(count: int, random: Random) -> list[bytes]:
    """Return so many records to agree on."""
    paths, found = sorted(FOLDER.glob("*.record")), []
    for number in range(count):
        events = golden(random.choice(paths)) if random.random() < 0.3 else honest(random)
        match number % 4:
            case 0:
                found.append(sealed(events, random))
            case 1:
                found.append(cut(sealed(events), random))
            case _:
                found.append(forged(events, random))
    return found
