"""The browser's own Rochambeau against the house's: the same octets, the same verdicts, and a site that cheats is caught."""

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from arbitre.crypto.keys import Key
from arbitre.elections import Mode, Terms, settle, write_commit, write_reveal
from arbitre.elections.call import Call
from arbitre.elections.hub import LOBBY
from arbitre.elections.item import HUB, Item, Kind, read_packet, write_packets
from arbitre.elections.payload import Opening, new_opening
from arbitre.elections.ruling import COMMITS, REVEALS, Ruling, set_hash, write_listing
from tests.browser import browsing
from tests.elections.vectors import made
from tests.web.site import Running

if TYPE_CHECKING:
    from playwright.sync_api import Page

SETTLE = """async (given) => {
  const r = await import("/static/rochambeau.js");
  return given.map((text) => {
    const { terms, parties } = r.readTranscript(text);
    const { winner, rounds, excluded } = r.settle(terms, parties);
    const scores = rounds.map(({ table }) => table.map(({ score }) => score));
    return { winner, scores, excluded: excluded.map((one) => [one.player, one.fault]) };
  });
}"""


def spoilt(random: Random, terms: Terms, name: str) -> tuple[bytes | None, bytes | None]:
    """Return what a party sent, now and then something wrong."""
    opening = new_opening(terms, name, random.randbytes(32), random.randrange(terms.least_state, terms.states))
    commit, reveal = write_commit(terms, opening), write_reveal(terms, opening)
    match random.randrange(12):
        case 0:
            return None, reveal
        case 1:
            return commit, None
        case 2:
            return commit[:-1], reveal
        case 3:
            return commit, reveal[:-1] + bytes([reveal[-1] ^ 1])
        case 4:
            return commit, reveal + b"\0"
        case 5:
            other = new_opening(terms, "nobody", random.randbytes(32), opening.state)
            return write_commit(terms, other), write_reveal(terms, other)
        case 6:
            short = Opening(random.randbytes(20), opening.state)
            return write_commit(terms, short), write_reveal(terms, short)
        case _:
            return commit, reveal


def transcripts() -> list[tuple[Terms, dict[str, tuple[bytes | None, bytes | None]]]]:
    random = Random(2)
    made = []
    for number in range(60):
        strong = number % 2
        states = random.choice((3, 5, 17, 257, 65_537, 2**31 - 1))
        terms = Terms(states, mode=Mode.STRONG if strong else Mode.DRAFT, game=f"élection {number}" if strong else "")
        made.append((terms, {f"p{n}😀": spoilt(random, terms, f"p{n}😀") for n in range(random.randrange(1, 9))}))
    return made


@browsing()
def test_verdicts_on_sound_and_spoilt_transcripts(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/about")
    texts, wanted = [], []
    for terms, said in transcripts():
        header = {"rochambeau": 2, "n": terms.states, "hash": "sha256", "mode": terms.mode.value, "game": terms.game}
        lines = [
            {"player": name, "commit": commit and commit.hex(), "reveal": reveal and reveal.hex()}
            for name, (commit, reveal) in sorted(said.items())
        ]
        texts.append("\n".join(map(json.dumps, [header, *lines])))
        commits = {name: commit for name, (commit, _) in said.items() if commit is not None}
        reveals = {name: reveal for name, (_, reveal) in said.items() if reveal is not None}
        verdict = settle(terms, commits, reveals, players=said)
        scores = [[line.score for line in one.table] for one in verdict.rounds]
        excluded = [[one.player, one.fault.value] for one in verdict.excluded]
        wanted.append({"winner": verdict.winner, "scores": scores, "excluded": excluded})
    assert page.evaluate(SETTLE, texts) == wanted
    assert any(one["excluded"] for one in wanted)


# ── a site that cheats ─────────────────────────────────────────────────────────────────────────────────────────────

PARTY = """async ([secret, hub]) => {
  const c = await import("/static/crypto.js");
  const r = await import("/static/rochambeau.js");
  const key = c.unhex(secret);
  window.sent = [];
  window.said = {};
  window.told = [];
  const me = { name: "Ada", secret: key, public: c.publicKey(key) };
  window.party = new r.Party({ me, hub, openings: new Map(), remember() {},
    keep: (place, body) => c.unhex(window.said[place] ??= c.hex(body)),
    send: (packet) => window.sent.push(c.hex(packet)), tell: (news) => window.told.push([news.what, news.why ?? ""]) });
}"""

HEAR = """async (packets) => {
  const c = await import("/static/crypto.js");
  for (const packet of packets) window.party.receive(c.unhex(packet));
  return { sent: window.sent, told: window.told };
}"""


class Crooked:
    """A hub in a test's hands, with an honest browser, Ada, and a party of ours, Bob."""

    def __init__(self, page: "Page", random: Random) -> None:
        self.page = page
        self.hub, self.ada, self.bob = (Key(random.randbytes(32)) for _ in range(3))
        self.secret = random.randbytes(32)
        self.ada = Key(self.secret)
        page.evaluate(PARTY, [self.secret.hex(), self.hub.public.hex()])

    def call(self, ada: Key | None = None) -> Any:
        """Call for Commits, perhaps with another key under Ada's name."""
        keys = (("Ada", (ada or self.ada).public.hex()), ("Bob", self.bob.public.hex()))
        terms = Terms(mode=Mode.STRONG, game="a crooked game")
        self.terms = Call(terms, 2, 20.0, 20.0, 60.0, None, keys, self.hub.public.hex())
        return self.hear(LOBBY, Item(Kind.TERMS, HUB, self.terms.octets()).sign(LOBBY, HUB, self.hub))

    def hear(self, tag: bytes, *items: Item) -> Any:
        return self.page.evaluate(HEAR, [packet.hex() for packet in write_packets(tag, items)])

    def commits(self, found: Any) -> dict[str, bytes]:
        """Return both Commits, and let the browser hear them."""
        terms = self.terms.terms
        mine = write_commit(terms, new_opening(terms, "Bob", bytes(32), 7))
        item = Item(Kind.COMMIT, "Bob", mine).sign(self.terms.tag, "Bob", self.bob)
        (own,) = read_packet(bytes.fromhex(found["sent"][-1]))[1]
        assert own.verified(self.terms.tag, {"Ada": self.ada.public}).signatures, "Ada signs what she says"
        self.hear(self.terms.tag, item, own)
        return {"Ada": own.body, "Bob": mine}

    def closing(self, commits: dict[str, bytes]) -> tuple[Item, Item]:
        listing = write_listing(COMMITS, commits)
        closing = Item(Kind.CLOSING, HUB, COMMITS + set_hash(self.terms.tag, COMMITS, commits))
        return Item(Kind.LISTING, HUB, listing), closing.sign(self.terms.tag, HUB, self.hub)


@pytest.fixture
def random() -> Random:
    return Random(3)


def kinds(found: Any) -> list[Kind]:
    return [item.kind for packet in found["sent"] for item in read_packet(bytes.fromhex(packet))[1]]


@browsing()
def test_another_key_under_ones_own_name_is_noticed(page: "Page", open_site: Running, random: Random) -> None:
    page.goto(open_site.url + "/about")
    site = Crooked(page, random)
    found = site.call(Key(random.randbytes(32)))
    assert found["told"][-1] == ["broken", "another key"]
    assert found["sent"] == [], "nothing is committed to such a site"


@browsing()
def test_two_lists_convict_the_site_before_anything_is_opened(page: "Page", open_site: Running, random: Random) -> None:
    page.goto(open_site.url + "/about")
    site = Crooked(page, random)
    commits = site.commits(site.call())
    found = site.hear(site.terms.tag, *site.closing(commits))
    assert kinds(found) == [Kind.COMMIT, Kind.ECHO]
    found = site.hear(site.terms.tag, *site.closing({"Bob": commits["Bob"]}))
    assert found["told"][-1] == ["broken", "two closings"]
    assert Kind.REVEAL not in kinds(found)


@browsing()
def test_a_list_that_another_party_was_shown_convicts_the_site_too(page: "Page", open_site: Running, random: Random) -> None:
    page.goto(open_site.url + "/about")
    site = Crooked(page, random)
    commits = site.commits(site.call())
    site.hear(site.terms.tag, *site.closing(commits))
    _, other = site.closing({"Bob": commits["Bob"]})
    echo = Item(Kind.ECHO, "Bob", other.body[1:] + (other.signature(HUB) or b"")).sign(site.terms.tag, "Bob", site.bob)
    found = site.hear(site.terms.tag, echo)
    assert found["told"][-1] == ["broken", "two closings"]
    assert Kind.REVEAL not in kinds(found)


@browsing()
def test_words_put_into_somebodys_mouth_are_not_heard(page: "Page", open_site: Running, random: Random) -> None:
    page.goto(open_site.url + "/about")
    site = Crooked(page, random)
    commits = site.commits(site.call())
    forged = b"\0\1" + bytes(32)
    site.hear(site.terms.tag, Item(Kind.COMMIT, "Bob", forged).sign(site.terms.tag, "Bob", site.hub))
    found = site.hear(site.terms.tag, *site.closing(commits | {"Bob": forged}))
    assert found["told"][-1] == ["broken", "unsaid"]
    assert kinds(found) == [Kind.COMMIT]


@browsing()
def test_nothing_is_opened_before_everybody_signed_the_same_list(page: "Page", open_site: Running, random: Random) -> None:
    page.goto(open_site.url + "/about")
    site = Crooked(page, random)
    commits = site.commits(site.call())
    listing, closing = site.closing(commits)
    found = site.hear(site.terms.tag, listing, closing)
    assert Kind.REVEAL not in kinds(found)
    body = closing.body[1:] + (closing.signature(HUB) or b"")
    own = [item for packet in found["sent"] for item in read_packet(bytes.fromhex(packet))[1] if item.kind is Kind.ECHO]
    found = site.hear(site.terms.tag, *own, Item(Kind.ECHO, "Bob", body).sign(site.terms.tag, "Bob", site.bob))
    assert kinds(found) == [Kind.COMMIT, Kind.ECHO, Kind.REVEAL]


# ── what browsers sign ─────────────────────────────────────────────────────────────────────────────────────────────

VECTORS = """async ([call, secret, hub]) => {
  const c = await import("/static/crypto.js");
  const r = await import("/static/rochambeau.js");
  const [body, none] = [c.utf8(call), new Uint8Array()];
  const terms = JSON.parse(call);
  const tag = r.callHash(body);
  const choices = { Ada: [0xaa, 7], "Zoé": [0xbb, 11] };
  const found = { call: c.canonical(terms), "call hash": c.hex(tag), group: r.groupOf(terms.roster) };
  found["binder of Zoé"] = c.hex(r.binder(terms.game, "Zoé"));
  const [commits, reveals] = [new Map(), new Map()];
  for (const [name, [octet, state]] of Object.entries(choices)) {
    const opening = { nonce: c.join(new Uint8Array(32).fill(octet), r.binder(terms.game, name)), state };
    commits.set(name, r.writeCommit(terms, opening));
    reveals.set(name, r.writeReveal(terms, opening));
    found[`Commit of ${name}`] = c.hex(commits.get(name));
    found[`Reveal of ${name}`] = c.hex(reveals.get(name));
  }
  const [one, two] = [r.setHash(tag, 1, commits), r.setHash(tag, 2, reveals)];
  found["hash of the Commits"] = c.hex(one);
  found["hash of the Reveals"] = c.hex(two);
  const sign = (key, kind, author, said) => c.sign(c.unhex(key), r.statement(tag, { kind, author, body: said }));
  const closing = sign(hub, r.KIND.CLOSING, "", c.join(Uint8Array.of(1), one));
  found["closing of the Commits, signature"] = c.hex(closing);
  const parties = [...commits].map(([player, commit]) => ({ player, commit, reveal: reveals.get(player) }));
  const verdict = r.writeRuling({ commits: one, reveals: two, announced: none, winner: r.settle(terms, parties).winner });
  found.verdict = c.hex(verdict);
  const said = [["Commit", r.KIND.COMMIT, commits.get("Ada")], ["echo", r.KIND.ECHO, c.join(one, closing)],
    ["Reveal", r.KIND.REVEAL, reveals.get("Ada")], ["verdict", r.KIND.VERDICT, verdict]];
  for (const [what, kind, octets] of said) found[`${what} of Ada, signature`] = c.hex(sign(secret, kind, "Ada", octets));
  return found;
}"""


@browsing()
def test_the_vectors_of_the_manual(page: "Page", open_site: Running) -> None:
    page.goto(open_site.url + "/about")
    wanted = made()
    assert page.evaluate(VECTORS, [wanted["call"], "11" * 32, "33" * 32]) == wanted


class Held(Crooked):
    """An election of a browser, Ada, with Bob, to the point where the Reveals are closed."""

    def judged(self) -> Any:
        """Let all be committed, echoed, revealed and closed; return what the browser said and told."""
        tag, terms = self.terms_of()
        commits = self.commits(self.found)
        listing, closing = self.closing(commits)
        self.hear(tag, listing, closing)
        body = closing.body[1:] + (closing.signature(HUB) or b"")
        own = [item for item in self.said() if item.kind is Kind.ECHO]
        self.hear(tag, *own, Item(Kind.ECHO, "Bob", body).sign(tag, "Bob", self.bob))
        (reveal,) = (item for item in self.said() if item.kind is Kind.REVEAL)
        bobs = write_reveal(terms, new_opening(terms, "Bob", bytes(32), 7))
        reveals = {"Ada": reveal.body, "Bob": bobs}
        last = Item(Kind.CLOSING, HUB, REVEALS + set_hash(tag, REVEALS, reveals)).sign(tag, HUB, self.hub)
        self.hear(tag, reveal, Item(Kind.REVEAL, "Bob", bobs).sign(tag, "Bob", self.bob))
        hashes = (set_hash(tag, COMMITS, commits), set_hash(tag, REVEALS, reveals))
        self.ruling = Ruling(*hashes, b"", settle(terms, commits, reveals).winner)
        return self.hear(tag, Item(Kind.LISTING, HUB, write_listing(REVEALS, reveals)), last)

    def terms_of(self) -> tuple[bytes, Terms]:
        self.found = self.call()
        return self.terms.tag, self.terms.terms

    def said(self) -> list[Item]:
        sent = self.page.evaluate("() => window.sent")
        return [item for packet in sent for item in read_packet(bytes.fromhex(packet))[1]]


@browsing()
def test_a_browser_signs_its_verdict_and_names_a_winner_with_both(page: "Page", open_site: Running, random: Random) -> None:
    page.goto(open_site.url + "/about")
    site = Held(page, random)
    found = site.judged()
    tag = site.terms.tag
    (own,) = (item for item in site.said() if item.kind is Kind.VERDICT)
    assert own.verified(tag, {"Ada": site.ada.public}).signatures
    assert own.body == site.ruling.octets()
    assert found["told"][-1][0] == "judged", "of two parties both must sign"
    found = site.hear(tag, Item(Kind.VERDICT, "Bob", site.ruling.octets()).sign(tag, "Bob", site.bob))
    assert found["told"][-1][0] == "settled"


@browsing()
def test_another_verdict_leaves_a_browser_undecided(page: "Page", open_site: Running, random: Random) -> None:
    """The hub showed Bob other Reveals, or keeps his verdict back, or he signs two: nobody is named."""
    page.goto(open_site.url + "/about")
    site = Held(page, random)
    site.judged()
    tag, other = site.terms.tag, Ruling(bytes(32), bytes(32), b"", "Bob").octets()
    forged = Item(Kind.VERDICT, "Bob", site.ruling.octets()).sign(tag, "Bob", site.hub)
    assert site.hear(tag, forged)["told"][-1][0] == "judged"
    site.hear(tag, Item(Kind.VERDICT, "Bob", other).sign(tag, "Bob", site.bob))
    found = site.hear(tag, Item(Kind.VERDICT, "Bob", site.ruling.octets()).sign(tag, "Bob", site.bob))
    assert found["told"][-1][0] == "twice"
    page.evaluate("() => window.party.end()")
    assert page.evaluate("() => window.told.at(-1)[0]") == "undecided"
    assert page.evaluate("() => window.party.verdict") is None


@browsing()
def test_a_browser_signs_nothing_twice(page: "Page", open_site: Running, random: Random) -> None:
    """Loaded again, with what it kept: the same Commit; and where it would sign another, nothing."""
    page.goto(open_site.url + "/about")
    site = Crooked(page, random)
    site.call()
    first = page.evaluate("() => window.sent.length")
    again = Item(Kind.TERMS, HUB, site.terms.octets()).sign(LOBBY, HUB, site.hub)
    page.evaluate("() => { window.party.call = null; window.party.openings = new Map(); }")
    site.hear(LOBBY, again)
    assert page.evaluate("() => window.sent.length") == first, "its choice is lost, so it would be another Commit"


@browsing()
def test_a_site_that_calls_twice_is_left(page: "Page", open_site: Running, random: Random) -> None:
    page.goto(open_site.url + "/about")
    site = Crooked(page, random)
    site.call()
    assert site.call()["told"][-1] == ["broken", "two calls"]
