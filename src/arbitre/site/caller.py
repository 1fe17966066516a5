"""Who asks something of the site: an account, the guest of a browser, or nobody, from an address."""

from arbitre.games.game import Seat
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.arena.plan import GUEST, MatchPlan, PersonSeat
from arbitre.transport.limits import household
from arbitre.values import value


@value
class Caller:
    """One who asks."""

    account: Account | None = None
    guest: str = ""
    """A random identity that a browser keeps: whoever has no account still has games and seats."""
    address: str = ""
    signs: bool = False
    """Whether a browser asks that runs our script: the page of a game then brings a key."""

    @property
    def who(self) -> str:
        """How the arena knows this one: the account, or the guest; empty where there is neither."""
        return f"account:{self.account.id}" if self.account is not None else self._as_guest

    @property
    def _as_guest(self) -> str:
        return f"guest:{self.guest}" if self.guest else ""

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that the arena knows this one as."""
        return tuple(dict.fromkeys(one for one in (self.who, self._as_guest) if one))

    @property
    def number(self) -> AccountId | None:
        """The number of the account, None where there is none."""
        return None if self.account is None else self.account.id

    @property
    def household(self) -> str:
        """Where this one comes from, as far as attempts are counted by that."""
        return household(self.address)

    @property
    def counted(self) -> str:
        """What attempts are counted by: the account, or the household."""
        return self.household if self.account is None else self.account.neutral

    @property
    def person(self) -> PersonSeat:
        """This one on a chair."""
        return PersonSeat(self.who, GUEST if self.account is None else self.account.neutral, self.signs)

    @property
    def operates(self) -> bool:
        """Whether this is an operator."""
        return self.account is not None and self.account.may(Role.OPERATOR)

    def is_known_as(self, who: str) -> bool:
        """Tell whether the arena knows this one so; who has logged in still is the guest of the browser."""
        return bool(who) and who in (self.who, self._as_guest)

    def seats(self, plan: MatchPlan) -> frozenset[Seat]:
        """Return where this one sits; who has logged in still sits where the guest of this browser sat down."""
        found = plan.seats_of(self.who) if self.who else frozenset()
        return found or (plan.seats_of(self._as_guest) if self.guest else frozenset())
