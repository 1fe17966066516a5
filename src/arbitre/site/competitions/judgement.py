"""Judges a tournament offline, from what its site hands out: the plan with its seed, the draw, and the record of every game.

Nothing of the site is believed. The seed must be the one that was committed; the order must be the one that the contestants' lots
give; every record must follow from its own inputs, be the game that the plan's seed names, between those whom the schedule pairs;
and the standings are worked out again.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile

from arbitre.crypto.chain import commitment, derive
from arbitre.elections.lots import order_of
from arbitre.elections.transcript import Source
from arbitre.errors import RecordError, refusal, shorten
from arbitre.reasons import Reason
from arbitre.referee.terms import Opening
from arbitre.referee.verify import Finding, Proof, verify
from arbitre.site.competitions.draw import mixed, read_draw
from arbitre.tournament.config import TournamentPlan, read_kept_plan
from arbitre.tournament.schedule import Result, result_of
from arbitre.tournament.summary import Summary, summarise
from arbitre.values import value

PLAN, DRAW, SEED, RECORDS = "plan.json", "draw.json", "seed.txt", "records"
MOST_ATTEMPTS = 64
"""A match that was abandoned is played again with another seed, so often at most."""

LARGEST = 64 << 20

NO_DRAW = Reason("the draw is not handed out")
BY_SEED = Reason("the draw is settled by the committed seed")
BY_CONTESTANTS = Reason("the draw is settled by the contestants' own Commits, and the committed seed")


@value
class Judgement:
    """What was found."""

    summary: Summary
    records: int
    abandoned: int
    key: str
    """The fingerprint of the one key that signed all of it; empty where there was none."""
    draw: Reason
    """How the draw was settled."""
    referee: str = ""
    """The added game whose own referee ruled, where one did: everything follows from his word for it."""


def judge_folder(folder: Path) -> Judgement:
    """Judge what lies in a folder; `RecordError` says what does not follow."""
    plan = read_kept_plan(_text(folder / PLAN))
    drawn = _draw(folder, plan) if (folder / DRAW).is_file() else NO_DRAW
    paths = sorted((folder / RECORDS).glob("*.record"))
    return judge(plan, (_octets(path) for path in paths), drawn)


def judge(plan: TournamentPlan, records: Iterable[bytes], drawn: Reason = NO_DRAW) -> Judgement:
    """Judge the records of a tournament."""
    results: dict[int, Result] = {}
    keys: set[str] = set()
    seats: dict[int, tuple[str, ...]] = {}
    count = abandoned = 0
    for data in records:
        count += 1
        found = verify(data)
        if found.standing not in (Proof.VERIFIED, Proof.INTACT) or found.verdict is None:
            raise RecordError("record %(count)s: %(line)s", count=count, line=found.line)
        keys.add(found.key)
        number, opening = _fixture(plan, found)
        if found.verdict.scores is None:
            abandoned += 1
            continue
        if number in results:
            raise RecordError("game %(number)s has two results", number=number)
        results[number] = result_of(number, found.verdict)
        seats[number] = tuple(chair.name for seat, chair in enumerate(opening.chairs) if seat not in plan.game.neutral)
    if len(keys) > 1:
        raise RecordError("%(keys)s keys have signed: %(keys2)s", keys=len(keys), keys2=", ".join(sorted(keys)))
    summary = summarise(plan, results)
    for fixture in plan.schedule.fixtures(results):
        wanted = tuple(plan.entrants[one].name for one in fixture.seats)
        if seats.get(fixture.number, wanted) != wanted:
            raise RecordError(
                "game %(number)s is between %(wanted)s, not %(seats)s",
                number=fixture.number,
                wanted=wanted,
                seats=seats[fixture.number],
            )
    referee = plan.game.called if plan.game.neutral else ""
    return Judgement(summary, count, abandoned, next(iter(keys), ""), drawn, referee)


def _fixture(plan: TournamentPlan, found: Finding) -> tuple[int, Opening]:
    """Return which game of the plan a record is: its name and its seed follow from the plan's seed, so nothing else fits."""
    opening = found.opening
    if not isinstance(opening, Opening):
        raise RecordError("a record of another kind of game")
    text = (opening.notes or {}).get("game", "")
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise RecordError("match %(match)s does not say which game it is", match=opening.match)
    number = int(text)
    schedule = plan.schedule
    for attempt in range(1, MOST_ATTEMPTS + 1):
        seed = schedule.secret(number, attempt)
        if derive(seed, "match").hex()[:16] == opening.match:
            if opening.commitment != commitment(seed) or opening.game != plan.game or opening.terms != plan.terms:
                raise RecordError("match %(match)s is not played as the plan says", match=opening.match)
            if any(opening.chairs[seat].player != plan.game.court[1] for seat in plan.game.neutral):
                raise RecordError(
                    "match %(match)s was judged by another referee than that of %(called)s",
                    match=opening.match,
                    called=plan.game.called,
                )
            return number, opening
    raise RecordError("match %(match)r is no game %(number)s of this plan", match=shorten(opening.match), number=number)


def _draw(folder: Path, plan: TournamentPlan) -> Reason:
    drawn = read_draw(_text(folder / DRAW))
    seed = _text(folder / SEED).strip()
    if drawn is None or len(seed) != 64 or set(seed) - set("0123456789abcdef"):
        raise RecordError("the draw is not in form")
    if commitment(bytes.fromhex(seed)) != drawn.commitment:
        raise RecordError("the seed is not the one that was committed")
    if mixed(bytes.fromhex(seed), drawn.transcript) != plan.seed:
        raise RecordError("the plan's seed does not follow from the draw")
    if drawn.transcript:
        if _order(drawn.transcript) != tuple(one.name for one in plan.entrants):
            raise RecordError("the order is not the one that the contestants' lots give")
        return BY_CONTESTANTS
    return BY_SEED


def _order(transcript: str) -> tuple[str, ...]:
    with TemporaryFile() as file:
        file.write(transcript.encode())
        file.seek(0)
        return order_of(Source(file))


def _text(path: Path) -> str:
    return _octets(path).decode("utf-8", "replace")


def _octets(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise RecordError("cannot read %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from error
    if len(data) > LARGEST:
        raise RecordError("%(path)s is too large to be read", path=path)
    return data


def told(found: Judgement) -> Iterator[Reason]:
    """Return what was found, line by line."""
    if found.abandoned:
        yield Reason(
            "%(records)s records follow, %(abandoned)s of them abandoned and played again",
            records=found.records,
            abandoned=found.abandoned,
        )
    else:
        yield Reason("%(records)s records follow", records=found.records)
    yield found.draw
    if found.referee:
        yield Reason(
            "every result follows from what the referee of %(game)s said, as the records hold it; his rules are his own",
            game=found.referee,
        )
    if found.key:
        yield Reason("all signed by %(key)s", key=found.key)
