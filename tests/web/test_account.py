"""Accounts on the site: who comes in, who stays out, and what each may do."""

import asyncio
import itertools
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from time import time
from urllib.parse import urlencode

import pytest

from arbitre.errors import HasteError, QuotaError, StoreError
from arbitre.site.accounts import Account, Accounts, Role
from arbitre.site.limits import USUAL
from arbitre.transport.limits import Limit, Limits
from arbitre.web.house import WebApp
from arbitre.web.throttle import PLACES, Door, Line, known_device, remember_device
from arbitre.web.visit import DEVICE_COOKIE, GUEST_COOKIE, SESSION_COOKIE, Signer, Visit
from arbitre.words import words
from tests.web.site import TOKEN, Answer, Client, Running, quiet, running

PASSWORD = "correct horse battery"  # noqa: S105 - of nobody


@pytest.fixture(scope="module")
def house(open_site: Running) -> WebApp:
    found = open_site.site.state.house
    assert isinstance(found, WebApp)
    return found


def joined(site: Running, name: str) -> Client:
    """Return a browser in which somebody has just registered."""
    client = site.client()
    answer = client.post("/register", {"name": name, "password": PASSWORD, "back": "/about"}, page="/register")
    assert (answer.status, answer.headers["location"]) == (303, "/about"), answer.text
    return client


def log_in(client: Client, name: str, password: str = PASSWORD, **more: str) -> Answer:
    return client.post("/login", {"name": name, "password": password, **more}, page="/login")


def test_registering_logs_in_and_keeps_the_guest(open_site: Running) -> None:
    client = open_site.client()
    client.get("/")
    guest = client.cookies[GUEST_COOKIE]
    client.post("/register", {"name": "Ada", "password": PASSWORD}, page="/register")
    assert client.cookies[GUEST_COOKIE] == guest, "the games of this browser stay"
    text = client.get("/account").text
    assert "<h1>Ada</h1>" in text
    assert "in records you are player-" in text
    assert '<a class="account" href="/account">Ada</a>' in client.get("/").text
    assert client.get("/register").headers["location"] == "/account"


def test_logging_out_ends_the_session_and_leaves_no_guest(open_site: Running) -> None:
    client = joined(open_site, "Bert")
    token, guest = client.cookies[SESSION_COOKIE], client.cookies[GUEST_COOKIE]
    assert client.post("/logout").status == 303
    assert SESSION_COOKIE not in client.cookies
    assert client.cookies[GUEST_COOKIE] != guest
    thief = open_site.client()
    thief.cookies[SESSION_COOKIE] = token
    assert thief.get("/account").headers["location"].startswith("/login")
    assert SESSION_COOKIE not in thief.cookies, "a session that is over is forgotten"


def test_logging_in_leads_back_to_where_one_was(open_site: Running) -> None:
    joined(open_site, "Cleo")
    client = open_site.client()
    sent = client.get("/account")
    assert (sent.status, sent.headers["location"]) == (303, "/login?back=%2Faccount")
    answer = log_in(client, "Cleo", back="/account")
    assert (answer.status, answer.headers["location"]) == (303, "/account")
    assert "HttpOnly" in answer.headers["set-cookie"]
    for elsewhere in ("//evil.example", "https://evil.example"):
        assert log_in(open_site.client(), "cleo", back=elsewhere).headers["location"] == "/"


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [
        ("x", PASSWORD, "3 to 30"),
        ("house", PASSWORD, "house’s own"),
        ("<b>x</b>", PASSWORD, "3 to 30"),
        ("Dora", "short", "at least 8"),
        ("Dora", "aaaaaaaaaa", "at least 8"),
        ("Dora", "", "at least 8"),
        ("Е" * 5, PASSWORD, "3 to 30"),
    ],
)
def test_forms_that_do_not_fit_are_shown_again(client: Client, name: str, password: str, words: str) -> None:
    answer = client.post("/register", {"name": name, "password": password}, page="/register")
    assert answer.status == 400
    assert words in answer.text
    assert "<b>x</b>" not in answer.text
    if password:
        assert password not in answer.text
    assert SESSION_COOKIE not in client.cookies


def test_names_that_look_alike_are_taken(open_site: Running, client: Client) -> None:
    joined(open_site, "Emile")
    answer = client.post("/register", {"name": "ÉMlLE", "password": PASSWORD}, page="/register")
    assert "This name is taken" in answer.text


def test_which_of_name_and_password_was_wrong_is_not_said(open_site: Running, client: Client) -> None:
    joined(open_site, "Fritz")
    wrong = [log_in(client, name, password) for name, password in (("Fritz", "nonsense nonsense"), ("Nobody.at.all", PASSWORD))]
    assert [one.status for one in wrong] == [400, 400]
    assert all("Name and password do not belong together" in one.text for one in wrong)


def test_problems_are_told_in_french(client: Client) -> None:
    client.post("/language", {"language": "fr"})
    assert "ne vont pas ensemble" in log_in(client, "Personne", PASSWORD).text


def test_changing_the_password_ends_other_sessions(open_site: Running) -> None:
    here = joined(open_site, "Gina")
    there = open_site.client()
    log_in(there, "Gina")
    wrong = here.post("/account/password", {"old": "wrong wrong wrong", "new": "another password"}, page="/account")
    assert wrong.status == 400
    assert here.post("/account/password", {"old": PASSWORD, "new": "another password"}, page="/account").status == 303
    assert here.get("/account").status == 200
    assert there.get("/account").status == 303
    assert log_in(open_site.client(), "Gina", "another password").status == 303


def test_sessions_are_listed_and_ended(open_site: Running) -> None:
    here, there = joined(open_site, "Hans"), open_site.client()
    log_in(there, "Hans")
    text = here.get("/account").text
    number = re.search(r'name="session" value="(\d+)"', text)
    assert number is not None
    assert "this one" in text
    stranger = joined(open_site, "Ivo")
    assert stranger.post("/account/sessions/end", {"session": number[1]}, page="/account").status == 404
    assert there.get("/account").status == 200
    assert here.post("/account/sessions/end", {"session": "others"}, page="/account").status == 303
    assert there.get("/account").status == 303


def test_tokens_are_shown_once_and_scoped(open_site: Running) -> None:
    client, program = joined(open_site, "Jana"), open_site.client()

    def made(*scopes: str) -> str:
        token = TOKEN.search(client.get("/account").text)
        assert token is not None
        fields = [("form_token", token[1]), ("name", "my bot"), ("days", "30"), *(("scope", one) for one in scopes)]
        answer = client.ask(
            "POST", "/account/tokens", urlencode(fields).encode(), Content_Type="application/x-www-form-urlencoded"
        )
        found = re.search(r"<code>(arb_[\w-]+)</code>", answer.text)
        assert found is not None, answer.text
        return found[1]

    secret = made("read", "play")
    assert secret not in client.get("/account").text
    answer = program.get("/api/me", Authorization=f"Bearer {secret}")
    assert (answer.status, b'"name":"Jana"' in answer.body) == (200, True)
    assert program.get("/api/me", Authorization=f"Bearer {made('play')}").status == 403
    assert program.get("/api/me", Authorization="Bearer arb_none").status == 401
    assert program.get("/api/me").status == 401
    assert program.get("/account", Authorization=f"Bearer {secret}").status == 303, "tokens open the programs' part only"
    assert client.post("/account/tokens", {"name": "x", "scope": "everything"}, page="/account").status == 400
    for days in ("abc", "-1", "0", "1e9", "99999999999"):
        assert client.post("/account/tokens", {"name": "x", "scope": "read", "days": days}, page="/account").status == 400
    number = re.findall(r'name="token" value="(\d+)"', client.get("/account").text)[-1]
    assert client.post("/account/tokens/end", {"token": number}, page="/account").status == 303
    assert program.get("/api/me", Authorization=f"Bearer {secret}").status == 401


def test_an_account_is_deleted_by_who_knows_its_password(open_site: Running) -> None:
    client = joined(open_site, "Karl")
    assert client.post("/account/delete", {"password": "wrong wrong wrong"}, page="/account").status == 400
    assert client.post("/account/delete", {"password": PASSWORD}, page="/account").status == 303
    assert client.get("/account").status == 303
    assert log_in(open_site.client(), "Karl").status == 400


def test_pages_of_who_is_logged_in_are_not_kept(open_site: Running) -> None:
    client = joined(open_site, "Lina")
    assert client.get("/account").headers["cache-control"] == "no-store"
    assert client.get("/").headers["cache-control"] == "no-store"


def test_forms_of_who_is_not_logged_in_lead_to_the_door(client: Client) -> None:
    answer = client.post("/account/tokens", {"name": "x"})
    assert answer.status == 401
    assert 'href="/login"' in answer.text


def test_a_store_that_fails_is_our_mistake(open_site: Running, house: WebApp, monkeypatch: pytest.MonkeyPatch) -> None:
    client = joined(open_site, "Max")

    def fail(token: str) -> None:
        raise StoreError(f"the store in /somewhere cannot be used: {token}")

    monkeypatch.setattr(house.community.sessions, "find", fail)
    answer = client.get("/about")
    assert answer.status == 503
    assert "/somewhere" not in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]


# ── guessing ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_who_guesses_a_password_is_slowed_down(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(quiet(tmp_path_factory.mktemp("guess"), registration=False, trusted_proxy=("127.0.0.1",))) as site:
        client = site.client()
        tries = [_try(client) for at in range(12)]
        assert [one.status for one in tries] == [400] * 10 + [429] * 2
        assert int(tries[-1].headers["retry-after"]) > 1
        assert "Too many attempts" in tries[-1].text
        assert client.post("/register", {"name": "Lena", "password": PASSWORD}).status == 403, "this site is closed"
        assert "the operator makes the accounts" in client.get("/register").text


def _try(client: Client, name: str = "Lena", password: str = "a guess", address: str = "192.0.2.1") -> Answer:  # noqa: S107
    return client.post("/login", {"name": name, "password": password}, page="/login", X_Forwarded_For=address)


@pytest.mark.parametrize("networks", [1, 16], ids=["from one network", "from many networks"])
def test_nobody_locks_somebody_else_out(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, networks: int
) -> None:
    """Strangers try a teacher's name without end: she comes in from any browser, and at once where she was before."""
    pauses: list[float] = []
    tried: list[str] = []
    over = threading.Event()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        await asyncio.sleep(seconds / 500)

    def guess(network: int) -> None:
        client = site.client()
        form = TOKEN.search(client.get("/login").text)
        assert form is not None
        body = urlencode({"form_token": form[1], "name": "Mona", "password": "a guess"}).encode()
        for at in itertools.count():
            address = f"10.{network}.{at % 250}.{at // 250}"  # every address has ten attempts of its own
            answer = client.ask("POST", "/login", body, X_Forwarded_For=address, Content_Type="application/x-www-form-urlencoded")
            assert answer.status in (400, 429)
            if over.is_set():
                return

    def authenticate(accounts: Accounts, name: str, password: str) -> Account:
        tried.append(password)
        return checked(accounts, name, password)

    with running(quiet(tmp_path_factory.mktemp("door"), trusted_proxy=("127.0.0.1",))) as site, ThreadPoolExecutor(16) as crowd:
        monkeypatch.setattr(site.site.state.house.door, "_pause", pause)
        known = joined(site, "Mona")
        known.post("/logout")
        checked = Accounts.authenticate
        monkeypatch.setattr(Accounts, "authenticate", authenticate)
        guesses = [crowd.submit(guess, at % networks) for at in range(16)]
        try:
            while len(pauses) < 2 * networks:  # the line stands, and every network has been heard
                over.wait(0.01)
            came = [_tries(site, f"198.51.{at}.7") for at in range(6)]
            assert _try(known, "Mona", PASSWORD, "10.0.0.1").status == 303, "a known browser, even from where the stranger sits"
        finally:
            over.set()
        for one in guesses:
            one.result()
    assert max(came) <= 2, f"of {len(pauses)} turns"
    assert len(tried) <= 20 + len(pauses) + 1, "a pause for every guess after the first twenty"
    assert pauses == sorted(pauses)


def _tries(site: Running, address: str) -> int:
    """Return how many times somebody who knows the password has to try it, from a browser that nobody has seen."""
    for at in range(1, 13):
        if _try(site.client(), "Mona", PASSWORD, address).status == 303:
            return at
    return 99


def test_a_place_in_line_is_for_whose_network_has_tried_least() -> None:
    async def stand() -> None:
        line = Line()
        tries = {"a": (5.0, 1.0), "b": (2.0, 1.0), "c": (5.0, 1.0), "d": (2.0, 0.0)}  # from a neighbourhood, and of these its own
        turns = {name: line.enter(name, rank) for name, rank in tries.items()}
        with pytest.raises(HasteError, match="too many are trying this name"):
            line.enter("b", (0.0, 0.0))  # each network stands there once
        with pytest.raises(HasteError):
            line.enter("e", (5.0, 1.0))  # who has tried as often as the last comes later
        turns["owner"] = line.enter("owner", (0.0, 0.0))
        assert isinstance(turns["c"].exception(), HasteError), "the last who has tried most makes room"
        called = []
        for _ in range(4):
            line.call()
            called += [name for name, turn in turns.items() if turn.done() and name not in called]
        assert called == ["c", "owner", "d", "b", "a"]
        late = line.enter("late", (9.0, 0.0))
        for at in range(PLACES):
            line.enter(f"fresh {at}", (0.0, 0.0))
            line.call()
        assert isinstance(late.exception(), HasteError), "who was passed by four is not held any longer"
        assert not line.waiting

    asyncio.run(stand())


def test_an_attempt_that_nobody_looked_at_is_not_counted() -> None:
    """Where the line is full, or very many people are logging in, the right password is tried as often as one likes."""
    limits = Limits(USUAL)
    visit = Visit("/", "192.0.2.1", words("en"), "", Signer(b"secret", secure=False))

    async def busy() -> Account:
        raise HasteError("very many people are logging in: wait a moment", 5)

    async def knock() -> None:
        for _ in range(40):
            with pytest.raises(HasteError, match="very many"):
                await Door(limits).knock(visit, "Mona", busy)

    asyncio.run(knock())
    assert {limits.share(kind, key, time()) for kind, key in limits._counts} == {0.0}


def test_a_known_browser_has_a_count_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(quiet(tmp_path_factory.mktemp("known"), trusted_proxy=("127.0.0.1",))) as site:
        thief = joined(site, "Nora")
        joined(site, "Nils")
        thief.post("/logout")
        tries = [_try(thief, "Nora", address=f"192.0.2.{at}").status for at in range(12)]
        assert tries == [400] * 10 + [429] * 2, "whoever has the cookie guesses no more than others"
        assert site.client().cookies == {}
        assert _try(thief, "Nils", PASSWORD).status == 303, "it is known in one name only"
        assert thief.cookies[DEVICE_COOKIE].count(".") == 2


def test_a_class_logs_in_behind_one_address(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(quiet(tmp_path_factory.mktemp("pupils"))) as site:
        joined(site, "Petra")
        assert {log_in(site.client(), "Petra").status for _ in range(35)} == {303}


@pytest.mark.parametrize("cookie", ["", ".", "x", "x.y", "x" * 22 + "." + "0" * 40, "x" * 22 + ".é" * 40, "." * 500])
def test_cookies_that_we_did_not_make_are_of_no_use(cookie: str) -> None:
    signer = Signer(b"secret", secure=False)
    assert known_device(signer, cookie, "mona") == ""
    visit = Visit("/", "", words("en"), "", signer, device=cookie)
    remember_device(visit, "Mona")
    device = known_device(signer, visit.device, "mona")
    assert len(device) == 22
    for at in range(10):
        remember_device(visit, f"name{at}")
    assert not known_device(signer, visit.device, "mona"), "the last eight names"
    assert known_device(signer, visit.device, "name9") == known_device(signer, visit.device, "name2") == device
    assert len(visit.device) < 512


def test_registrations_are_counted_before_the_hash(open_site: Running, house: WebApp, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes: list[str] = []

    def hashed(password: str) -> str:
        hashes.append(password)
        return "x"

    limits = house.community.limits
    monkeypatch.setattr(limits, "limits", {**limits.limits, "register": Limit(1, 3_600)})
    monkeypatch.setattr(house.community.accounts, "_hashed", hashed)
    limits.forgive("register", "127.0.0.1")
    client = open_site.client()
    for name, password in (("x", PASSWORD), ("Olaf", "short")):
        assert client.post("/register", {"name": name, "password": password}, page="/register").status == 400
    assert not hashes
    answers = [client.post("/register", {"name": f"Olaf{at}", "password": PASSWORD}, page="/").status for at in range(3)]
    limits.forgive("register", "127.0.0.1")
    assert (hashes, answers[1:]) == ([PASSWORD], [429, 429])


@pytest.mark.parametrize("path", ["/reset/none", "/reset/" + "x" * 500])
def test_links_that_never_were_are_over(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 410
    assert "This is over" in answer.text


# ── the operator ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def operator(open_site: Running, house: WebApp) -> Client:
    client = joined(open_site, "Olga")
    house.community.accounts.set_role(house.community.accounts.called("Olga"), Role.OPERATOR)
    return client


def path_of(house: WebApp, name: str, what: str) -> str:
    return f"/operator/accounts/{house.community.accounts.called(name).id}/{what}"


def test_only_operators_see_and_do_what_operators_do(open_site: Running, house: WebApp) -> None:
    client = joined(open_site, "Mia")
    assert open_site.client().get("/operator").status == 303
    assert client.get("/operator").status == 403
    assert client.post("/operator/accounts", {"name": "Nils"}, page="/account").status == 403
    for what in ("reset", "role", "quota", "lock", "erase"):
        fields = {"role": "operator", "why": "x", "name": "Mia", "engines": "9"}
        assert client.post(path_of(house, "Mia", what), fields, page="/account").status == 403
    assert house.community.accounts.called("Mia").role is Role.PLAYER


def test_an_operator_lets_somebody_in_again(open_site: Running, operator: Client) -> None:
    made = operator.post("/operator/accounts", {"name": "Otto"}, page="/operator")
    link = re.search(re.escape(open_site.url) + r"(/reset/[\w-]+)</code>", made.text)
    assert link is not None, made.text
    client = open_site.client()
    assert "Choose a password for Otto" in client.get(link[1]).text
    assert client.post(link[1], {"password": "x"}, page=link[1]).status == 400
    assert client.post(link[1], {"password": "brand new password"}, page=link[1]).status == 303
    assert "<h1>Otto</h1>" in client.get("/account").text
    assert client.get(link[1]).status == 410, "it works once"


def test_roles_locks_and_erasure(open_site: Running, operator: Client, house: WebApp) -> None:
    client = joined(open_site, "Paul")
    assert operator.post(path_of(house, "Paul", "role"), {"role": "teacher"}, page="/operator").status == 303
    assert house.community.accounts.called("Paul").role is Role.TEACHER
    assert operator.post(path_of(house, "Paul", "role"), {"role": "king"}, page="/operator").status == 400
    assert operator.post(path_of(house, "Paul", "lock"), {"why": "noise"}, page="/operator").status == 303
    assert client.get("/account").status == 303
    assert log_in(open_site.client(), "Paul").status == 400
    assert "noise" in operator.get("/operator?search=paul").text
    assert operator.post(path_of(house, "Paul", "lock"), {}, page="/operator").status == 303
    assert log_in(client, "Paul").status == 303
    assert operator.post(path_of(house, "Paul", "erase"), {"name": "Paula"}, page="/operator").status == 400
    assert operator.post(path_of(house, "Paul", "erase"), {"name": "Paul"}, page="/operator").status == 303
    assert client.get("/account").status == 303


def test_quotas_are_shown_and_set(open_site: Running, operator: Client, house: WebApp) -> None:
    joined(open_site, "Quentin")
    community, usual = house.community, house.community.database.settings.engines
    community.engines.add(community.accounts.called("Quentin"), game="pente", name="q-bot", url="http://x.example/")
    assert f"1 of {usual}" in operator.get("/operator?search=quentin").text
    path = path_of(house, "Quentin", "quota")
    assert operator.post(path, {"engines": "1"}, page="/operator").status == 303
    assert 'class="bad">1 of 1<' in operator.get("/operator?search=quentin").text
    with pytest.raises(QuotaError):
        community.engines.add(community.accounts.called("Quentin"), game="pente", name="r-bot", url="http://x.example/")
    for wrong in ("-1", "many", "100001", "9" * 30):
        assert operator.post(path, {"engines": wrong}, page="/operator").status == 400, wrong
    assert community.accounts.called("Quentin").quota == 1
    assert operator.post(path, {"engines": ""}, page="/operator").status == 303
    assert community.accounts.called("Quentin").quota is None
    assert f"Engines: {usual}" in operator.get("/operator/house").text


def test_the_last_operator_stays(operator: Client, house: WebApp) -> None:
    assert operator.post(path_of(house, "Olga", "role"), {"role": "player"}, page="/operator").status in (400, 403, 409)
    assert operator.get("/operator").status == 200
    assert operator.post("/operator/accounts/999999/reset", page="/operator").status == 404


def test_odd_pages_of_accounts(operator: Client) -> None:
    for query in ("after=-1", "after=x", "after=99999999999999999999", "search=%00", "search=" + "%25" * 50):
        assert operator.get(f"/operator?{query}").status == 200, query
