"""Strong mode without a hub: all honest parties end with the same sets (spec rochambeau, section 3).

**Relaying** (Dolev and Strong). Before its deadline a Commit counts with its author's signature alone; in the k-th window after
the deadline only with k + 1 signatures. Whoever accepts one adds its own signature and passes it on, so that it is good for
everybody else one window later. After as many windows as there may be faults, a Commit that one honest party holds is held
by all, and so are two different Commits of one author: they convict it. A window is twice the delay, because the parties'
clocks may differ by one.

**Unity.** When all Commits are in, everybody says the hash of the set, FULL. The same from everybody settles the set at once,
and no window need be waited for. That one has seen this must be known to all or to none, so it is passed on by the same rule:
in the k-th window it counts only if k others say that they saw it, and these words are passed on too.

**Echo.** When the set is settled, everybody signs its hash, once, and then reveals; after windows were needed, not before the
others' echoes were heard or had time to come. A party that finds most others with another set than its own was cut off for longer
than the delay that was agreed on; it has no verdict of its own, and takes that of the others if they can certify it.

**Reveals** are relayed by the same rule, each with its author's echo of the same set, without which it does not count. Only one
Reveal opens a Commit, so a set of Reveals only grows, and whoever holds all of them has a verdict.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from arbitre.elections.item import Item, Kind
from arbitre.elections.party import Party, Phase, What
from arbitre.elections.payload import Excluded, Fault, judge
from arbitre.elections.ruling import COMMITS, set_hash
from arbitre.reasons import Reason

MOST_VALUES: Final = 4
"""How many different things of one author are remembered; two convict."""


class StrongParty(Party):
    """A party that trusts nobody, not even its own ears."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.keys = self.call.roster
        self.window = 2 * self.call.delay
        self._held: dict[tuple[Kind, str], dict[bytes, Item]] = {}
        """Everything that its author signed, with all signatures that came."""
        self._accepted: dict[tuple[Kind, str], list[bytes]] = {}
        self._relays: list[tuple[float, Kind, str, bytes]] = []
        self._witness: dict[tuple[Kind, str], dict[bytes, Item]] = {}
        """FULL and words of unity, by what they are for: a cheat may say several things, and one of them counts."""
        self._echoed_at = 0.0
        self._shown: dict[str, Item] = {}
        """The Commits that we showed as all: if everybody shows the same, these count, whatever comes later."""
        self._waiting: list[Item] = []
        """Reveals that came before our own Commit phase closed."""
        self._echoes: dict[str, list[Item]] = {}
        self._unechoed: dict[str, list[Item]] = {}
        """Reveals that came before their authors' echoes."""

    # ── the clock ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _deadline(self, kind: Kind) -> float:
        if kind is Kind.REVEAL:
            return self.opened + (self.call.reveal_limit or 0.0)
        return self.began + (self.call.commit_limit or 0.0)

    def _needed(self, kind: Kind, now: float) -> int:
        """Return how many signatures make something count now."""
        late = now - self._deadline(kind)
        return 1 if late < 0 else int(late / self.window) + 2

    def _end(self, kind: Kind) -> float:
        """Return when nothing more can count."""
        return self._deadline(kind) + (self.call.rounds - 1) * self.window

    def wake(self) -> float | None:
        """Return the next moment at which something is due."""
        moments = [due for due, *_ in self._relays]
        if self.phase is Phase.COMMIT:
            moments.append(self._end(Kind.COMMIT))
        elif self.phase is Phase.ECHO:
            moments.append(self._echoed_at + self.call.delay)
        elif self.phase is Phase.REVEAL:
            moments.append(self._end(Kind.REVEAL))
        elif self.phase is Phase.JUDGED:
            moments.append(self.patience() or 0.0)
        elif self.phase is Phase.SETTLED:
            moments.append(self.settled + 3 * self.call.delay)
        return min(moments, default=None)

    def windows(self) -> float:
        """Return how many seconds both phases may be longer than their limits."""
        return 2 * (self.call.rounds - 1) * self.window + self.call.delay

    def tick(self, now: float) -> None:
        """Relay what is due, and close what is over."""
        due = [relay for relay in self._relays if relay[0] <= now]
        self._relays = [relay for relay in self._relays if relay[0] > now]
        for _, kind, author, body in due:
            item = self._held[kind, author][body].sign(self.tag, self.name, self.key)
            self._held[kind, author][body] = item
            if kind is Kind.REVEAL and (echo := self.echo_of(author)) is not None:
                self.outbox.append(echo)  # without which nobody counts it
            self.outbox.append(item)
        if self.phase is Phase.COMMIT and now >= self._end(Kind.COMMIT):
            self._conclude(now)
        if self.phase is Phase.ECHO:
            self._compare(now)
        if self.phase is Phase.REVEAL and now >= self._end(Kind.REVEAL):
            self.close(now)
        self.end_patience(now)

    # ── hearing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def receive(self, item: Item, now: float) -> None:
        """Take in what somebody said, if its author signed it."""
        if item.author not in self.keys or (item.author == self.name and not self._held_by_all(item)):
            return
        match item.kind:
            case Kind.COMMIT | Kind.REVEAL:
                self._relayed(item, now)
            case Kind.ECHO | Kind.UNITED | Kind.FULL | Kind.VERDICT:
                item = item.verified(self.tag, {item.author: self.keys[item.author]})
                if not item.signatures:
                    return
                if item.kind is Kind.VERDICT:
                    self.heard_verdict(item, now)
                elif item.kind is Kind.ECHO:
                    self._heard_echo(item, now)
                else:
                    self._witnessed(item, now)
            case _:
                pass
        self.tick(now)

    def _held_by_all(self, item: Item) -> bool:
        """Tell whether an item under our own name is worth a look: only what others added to what we said."""
        return item.kind in {Kind.COMMIT, Kind.REVEAL} and item.body in self._held.get((item.kind, self.name), {})

    def _relayed(self, item: Item, now: float) -> None:
        """Take in a Commit or a Reveal with the signatures of those who passed it on."""
        if item.kind is Kind.REVEAL and self.phase in {Phase.COMMIT, Phase.ECHO}:
            if len(self._waiting) < 4 * len(self.players):
                self._waiting.append(item)
            return
        held = self._held.setdefault((item.kind, item.author), {})
        known = held.get(item.body)
        if known is None and len(held) >= MOST_VALUES:
            return
        seen = {name for name, _ in known.signatures} if known else set()
        fresh = Item(item.kind, item.author, item.body, tuple(one for one in item.signatures if one[0] not in seen))
        fresh = fresh.verified(self.tag, self.keys)
        merged = Item(item.kind, item.author, item.body, (*(known.signatures if known else ()), *fresh.signatures))
        if merged.signature(item.author) is None:
            return
        self.note(merged)
        if item.kind is Kind.COMMIT:
            self.heard_commit(merged, now)
        else:
            self.heard_reveal(merged, now)

    def _accept(self, item: Item, now: float) -> bool:
        """Tell whether something counts from now on that did not count before; see to its being passed on."""
        self._held.setdefault((item.kind, item.author), {})[item.body] = item
        accepted = self._accepted.setdefault((item.kind, item.author), [])
        if item.body in accepted or len(accepted) >= 2 or now >= self._end(item.kind):
            return False
        if len(item.signatures) < self._needed(item.kind, now):
            return False
        accepted.append(item.body)
        if item.author != self.name and self.opening is not None:
            # while there is time, unity usually comes first and saves the relay
            due = max(now, min(self._deadline(item.kind), now + self.call.delay))
            self._relays.append((due, item.kind, item.author, item.body))
        return True

    # ── Commits ────────────────────────────────────────────────────────────────────────────────────────────────────

    def heard_commit(self, item: Item, now: float) -> None:
        """Take in a signed Commit."""
        if not self.well_formed(item):
            return
        if self.phase is not Phase.COMMIT:
            if item.body not in self._accepted.get((Kind.COMMIT, item.author), ()):
                self.tell(What.WARNED, item.author, Reason("signed another Commit, or committed too late"))
            return
        if not self._accept(item, now):
            return
        if len(self._accepted[Kind.COMMIT, item.author]) > 1:
            self.commits.pop(item.author, None)
            return
        self.commits[item.author] = item
        self.tell(What.COMMITTED, item.author)
        if len(self.commits) == len(self.players) and not self._shown:
            self._shown = dict(self.commits)
            full = self.say(Kind.FULL, self._digest(self._shown), now) if self.opening is not None else None
            if full is not None:
                self._witnessed(full, now)
        self._unite(now)

    def _digest(self, commits: Mapping[str, Item]) -> bytes:
        return set_hash(self.tag, COMMITS, {name: item.body for name, item in commits.items()})

    def _witnessed(self, item: Item, now: float) -> None:
        """Take in a FULL, or that somebody saw everybody's; what speaks of another set than we hold is of no use."""
        said = self._witness.setdefault((item.kind, item.author), {})
        if item.body in said:
            return
        if self._shown and item.body != self._digest(self._shown):
            self.tell(What.WARNED, item.author, Reason("holds another set of Commits"))
            return
        if self._shown or len(said) < MOST_VALUES:
            said[item.body] = item
        self._unite(now)

    def _witnesses(self, kind: Kind, body: bytes) -> dict[str, Item]:
        return {author: said[body] for (what, author), said in self._witness.items() if what is kind and body in said}

    def _unite(self, now: float) -> None:
        """Close the phase when everybody holds the same set, and enough others have seen that."""
        if self.phase is not Phase.COMMIT or not self._shown or now >= self._end(Kind.COMMIT):
            return
        body = self._digest(self._shown)
        full, words = self._witnesses(Kind.FULL, body), self._witnesses(Kind.UNITED, body)
        if not full.keys() >= set(self.players) or len(words) + 1 < self._needed(Kind.COMMIT, now):
            return
        if self.opening is not None:
            # what we saw must be seen by all: it and others' words go along with our own
            self.outbox += [item for seen in (full, words) for name, item in sorted(seen.items()) if name != self.name]
            self.say(Kind.UNITED, body, now)
        self.commits = self._shown
        if self._echo(now):
            self._open(now)

    def _conclude(self, now: float) -> None:
        """All windows are over: what is held now is held by all."""
        self.phase, self._echoed_at = Phase.ECHO, now
        self._echo(now)

    def _echo(self, now: float) -> bool:
        """Sign the set that counts; tell whether to go on: not if another was signed before we were started again."""
        if self.opening is None or self.say(Kind.ECHO, self._digest(self.commits), now) is not None:
            return True
        self.give_up(Reason("holds other Commits than before it was started again"), now)
        return False

    def _compare(self, now: float) -> None:
        """Reveal when the others echoed the same set, or had time to."""
        echoes = {author: held[0].body for (kind, author), held in self.statements.items() if kind is Kind.ECHO}
        if not echoes.keys() >= set(self.players) and now < self._echoed_at + self.call.delay:
            return
        mine = self._digest(self.commits)
        counted = Counter(body for name, body in echoes.items() if name in self.players)
        for name, body in echoes.items():
            if body != mine:
                self.tell(What.WARNED, name, Reason("holds another set of Commits"))
        common, times = max(counted.items(), key=lambda one: one[1], default=(mine, 0))
        if common != mine and 2 * times > len(self.players):
            why = Reason("most parties hold another set of Commits: this one was cut off for longer than the agreed delay")
            self.give_up(why, now)
            return
        self._open(now)

    def _heard_echo(self, item: Item, now: float) -> None:
        """Take in an echo; however many somebody signs, the one of our own set is kept, because others count a Reveal by it."""
        self.note(item)
        held = self._echoes.setdefault(item.author, [])
        ours = self.phase is not Phase.COMMIT and item.body == self._digest(self.commits)
        if item.body not in [one.body for one in held] and (ours or len(held) < MOST_VALUES):
            held.append(item)
        for reveal in self._unechoed.pop(item.author, ()):
            self._relayed(reveal, now)

    def echo_of(self, player: str) -> Item | None:
        """Return a player's echo of the Commits that count."""
        body = self._digest(self.commits)
        return super().echo_of(player) or next((one for one in self._echoes.get(player, ()) if one.body == body), None)

    def _open(self, now: float) -> None:
        self._relays = []
        self.open_up(now)
        waiting, self._waiting = self._waiting, []
        for item in waiting:
            self._relayed(item, now)

    # ── Reveals ────────────────────────────────────────────────────────────────────────────────────────────────────

    def heard_reveal(self, item: Item, now: float) -> None:
        """Take in a signed Reveal, if it opens the Commit that counts."""
        commit = self.commits.get(item.author)
        if commit is None:
            self.tell(What.WARNED, item.author, Reason("revealed without a Commit that counts; discarded"))
            return
        judged = judge(self.call.terms, item.author, commit.body, item.body)
        if isinstance(judged, Excluded) and judged.fault in {Fault.MISMATCH, Fault.BAD_REVEAL}:
            # something else may still open it: this must not count for one party and not for another
            self.tell(What.WARNED, item.author, Reason("%(error)s; discarded", error=judged.why))
            return
        if self.echo_of(item.author) is None:
            early = self._unechoed.setdefault(item.author, [])
            if len(early) < MOST_VALUES * len(self.players):
                early.append(item)
            return
        if self.phase in {Phase.COMMIT, Phase.ECHO} or not self._accept(item, now):
            if item.body not in self._accepted.get((Kind.REVEAL, item.author), ()):
                self.tell(What.WARNED, item.author, Reason("revealed too late"))
            return
        if self.phase is not Phase.REVEAL:
            return
        self.reveals[item.author] = item
        self.tell(What.REVEALED, item.author)
        if self.reveals.keys() >= self.commits.keys():
            self.close(now)

    def pass_on(self, items: Sequence[Item]) -> None:
        """Say again what others signed."""
        self.outbox += items
