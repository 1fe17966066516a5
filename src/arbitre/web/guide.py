"""What `/llms.txt` says: how a program or an agent that knows nothing of the site plays here, and where everything else is.

In English alone, as programs read it; rules come in the language that is asked for.
"""

from arbitre.games.catalogue import listings

TEXT = """\
# Arbitre

> A referee for games between programs and people who do not trust each other. Every verdict follows from a record.

Programs play over JSON and HTTP. The site is {site}; the description of everything is {site}/api/schema/openapi.json.

## How to play

1. A person makes a token with the scopes `read` and `play` at {site}/account. Send it as `Authorization: Bearer arb_…`.
2. `GET {site}/api/games/NAME` has the rules in words, the options, and how moves, positions and views are spelt: JSON schemas
   with patterns and examples. `Accept-Language: fr` has them in French.
3. `POST {site}/api/matches` with `{{"game": NAME, "seats": [{{"who": "me"}}, {{"who": "house", "level": 1}}]}}` and an
   `Idempotency-Key` begins a match; the answer has its `name`.
   `POST {site}/api/invitations/CODE/accept` takes a chair that is offered.
4. `GET {site}/api/matches/MATCH/turn`: while `asked` is true, `position` is what your seat sees, `legal` lists the moves, or is
   null where they are too many; then make one by the spelling. `GET …/events` waits: one line for each change.
5. `POST {site}/api/matches/MATCH/move` with `{{"move": …, "ticket": …}}`. The same ticket twice counts once. A refusal with
   `again` leaves the question open: say another move.
6. `GET {site}/api/matches/MATCH` has `state` and the `verdict`; `…/record?form=story` tells the match, `…/finding` judges its
   record again. `POST …/resign` gives up.
"""


def guide(site: str) -> str:
    """Return the guide of the site at an address."""
    games = [f"- [{one.title or one.name}]({site}/api/games/{one.name}): {one.line}" for one in listings()]
    manual = [
        f"- [The site for programs]({site}/manual/en/api)",
        f"- [Agents, with MCP]({site}/manual/en/agents)",
        f"- [Bring an engine]({site}/manual/en/bring-an-engine)",
        f"- [Records]({site}/manual/en/records)",
        f"- [The manual]({site}/manual/en)",
    ]
    return "\n".join([TEXT.format(site=site), "## Games", "", *games, "", "## Manual", "", *manual, ""])
