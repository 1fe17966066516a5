"""A page's journal (`static/journal.js`) parts from a record where the house's does: golden records, and every kind of change."""

from collections.abc import Iterator
from json import loads
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from arbitre.crypto.chain import commitment
from arbitre.records.event import canonical
from arbitre.records.evidence import Dispute, check_record, one_line, read_journal, told_end
from arbitre.records.record import Chain
from tests.browser import Chromium
from tests.referee.tables import SEED
from tests.web.site import Running
from tests.web.test_record_js import GOLDEN, lines_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ("end-rules", "end-illegal-move", "end-out-of-time", "end-resigned", "game-mastermind", "game-rochambeau")
MUTANTS = 25

SCRIPT = """async (cases) => {
  const { Journal, Dispute } = await import("/static/journal.js");
  return cases.map(([journal, record]) => {
    try {
      Journal.read(journal).compare(record);
      return "";
    } catch (error) {
      if (!(error instanceof Dispute)) throw error;
      return `${error.code} ${error.event ?? "-"}`;
    }
  });
}"""


def journal_of(lines: list[str], seat: int) -> list[str]:
    """Return the journal that a page would have kept of a record."""
    opening = loads(loads(lines[0])["text"])
    names = ("match", "commitment", "referee", "game", "options")
    called = {name: opening[name] for name in names} | {"seat": seat, "key": opening["chairs"][seat]["key"]}
    entries: list[dict[str, Any]] = [{"kind": "called", **called, "nonce": "", "promise": ""}]
    entries.append({"kind": "opening", "line": lines[0], "salt": "", "signature": ""})
    heads, refused = Chain(SEED).extend(lines), ""
    for line, head in zip(lines, heads, strict=True):
        event = loads(line)
        kind, text = event["kind"], event["text"]
        if kind == "ended":
            score, termination, reason = told_end(text, seat) or ("", "", "")
            entries.append({"kind": kind, "score": score, "termination": termination, "reason": reason})
        elif event["seat"] == seat:
            if kind == "agreed":
                entries.append({"kind": kind, **loads(text)})
            elif kind == "asked":
                entries.append({"kind": kind, "turn": event["turn"], **loads(text), "head": head.hex(), "refused": refused})
                refused = ""
            elif kind in ("noted", "said"):
                entries.append({"kind": kind, "text": text})
            elif kind == "refused":
                refused = one_line(text)
            elif kind == "resigned":
                entries.append({"kind": "gave-up"} if not text else {"kind": kind, "text": text})
    return [canonical(one) for one in entries]


def noted(line: str) -> list[str]:
    """Return an event, before it what its player says about it where it is a move."""
    event = loads(line)
    return [canonical(event | {"kind": "noted", "text": "score=1"}), line] if event["kind"] == "said" else [line]


def changed(lines: list[str], random: Random) -> list[str]:
    """Return the lines of a record in which something was changed."""
    made, at = list(lines), random.randrange(len(lines))
    event = loads(made[at])
    match random.randrange(9):
        case 0:
            del made[at]
        case 1:
            made.insert(at, made[at])
        case 2:
            other = random.randrange(len(made))
            made[at], made[other] = made[other], made[at]
        case 3:
            made[at] = canonical(event | {"text": random.choice(["", "9", event["text"] + " ", "{}"])})
        case 4:
            made[at] = canonical(event | {"seat": random.choice([-1, 0, 1, 2]), "turn": event["turn"] + random.randrange(2)})
        case 5:
            made[at] = canonical(
                event | {"kind": random.choice(["ticked", "resumed", "resigned", "left", "refused", "asked", "said", "settled"])}
            )
        case 6:
            made.insert(at, canonical(event | {"kind": "noted", "text": random.choice(["score=1", "score=2"])}))
        case 7:
            made[at] = made[at].replace(":", ": ", 1)
        case _:
            made = made[: at + 1]
    return made


def cases() -> Iterator[tuple[list[str], str]]:
    """Yield journals and records."""
    random = Random(3)
    for name, talks in [*((name, False) for name in NAMES), (NAMES[0], True)]:
        lines = [line for one in lines_of(GOLDEN[name]) for line in (noted(one) if talks else [one])]
        assert commitment(SEED) == loads(loads(lines[0])["text"])["commitment"]
        for seat in (0, 1):
            journal = journal_of(lines, seat)
            yield journal, "".join(f"{line}\n" for line in lines)
            for _ in range(MUTANTS):
                yield journal, "".join(f"{line}\n" for line in changed(lines, random))
            yield [one for one in journal if '"kind":"ended"' not in one], "".join(f"{line}\n" for line in lines)
            yield [*journal[:-1], journal[2].replace("agreed", "gave-up"), journal[-1]], "".join(f"{line}\n" for line in lines)


def of_the_house(journal: list[str], record: str) -> str:
    """Return the dispute that the house finds, by its code and event."""
    try:
        check_record(read_journal("".join(f"{line}\n" for line in journal).encode()), record.encode())
    except Dispute as dispute:
        return f"{dispute.code.value} {dispute.event or '-'}"
    return ""


def test_page_and_house_part_from_a_record_at_the_same_place(chromium: Chromium, open_site: Running) -> None:
    given = list(cases())
    answers: list[str] = []

    def compute(page: "Page") -> None:
        page.goto(open_site.url + "/about")
        answers.extend(page.evaluate(SCRIPT, given))

    chromium.visit(compute)
    due = [of_the_house(*one) for one in given]
    differing = [
        (mine, theirs, record[-300:]) for mine, theirs, (_, record) in zip(answers, due, given, strict=True) if mine != theirs
    ]
    assert not differing, differing[:3]
    assert {one.partition(" ")[0] for one in due} >= {"", "opening", "head", "question", "answer", "end", "chain"}


@pytest.mark.parametrize("name", NAMES)
def test_the_honest_journal_is_the_record(name: str) -> None:
    lines = lines_of(GOLDEN[name])
    for seat in (0, 1):
        assert of_the_house(journal_of(lines, seat), "".join(f"{line}\n" for line in lines)) == ""
