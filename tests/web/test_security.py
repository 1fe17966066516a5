"""The gate: who calls, how often, and which forms are ours."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.transport.guard import read_networks
from arbitre.transport.limits import MOST_ADDRESSES, Pace
from arbitre.web.security import caller, policy
from arbitre.web.visit import GUEST_COOKIE, Signer, read_cookies, read_guest
from tests.web.site import TOKEN, Client, Running, quiet, running

PROXIES = read_networks(["10.0.0.0/8", "::1"])


@pytest.mark.parametrize(
    ("peer", "forwarded", "who"),
    [
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("10.1.1.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.1.1.1", ["192.0.2.66, 198.51.100.1"], "198.51.100.1"),
        ("10.1.1.1", ["192.0.2.66, 198.51.100.1, 10.2.2.2"], "198.51.100.1"),
        ("10.1.1.1", ["192.0.2.66", "198.51.100.1"], "198.51.100.1"),
        ("10.1.1.1", ["garbage"], "10.1.1.1"),
        ("10.1.1.1", [""], "10.1.1.1"),
        ("::1", ["2001:db8::7"], "2001:db8::7"),
        ("unknown", ["198.51.100.1"], "unknown"),
        ("10.1.1.1", ["10.9.9.9," * 10_000 + "10.9.9.8"], "10.9.9.9"),
    ],
)
def test_only_trusted_proxies_speak_for_others(peer: str, forwarded: list[str], who: str) -> None:
    assert caller(peer, forwarded, PROXIES) == who


@given(st.text(), st.lists(st.text()))
def test_without_trusted_proxies_the_peer_is_the_caller(peer: str, forwarded: list[str]) -> None:
    assert caller(peer, forwarded, ()) == peer


def test_pace_refills_and_forgets() -> None:
    now = 0.0
    pace = Pace(60, clock=lambda: now)
    assert all(not pace.spend("a") for _ in range(60))
    assert pace.spend("a") == pytest.approx(1.0)
    assert not pace.spend("b")
    now = 1.0
    assert not pace.spend("a")
    assert pace.spend("a") > 0
    pace.charge("b", 1_000)
    assert pace.spend("b") > 0
    for number in range(MOST_ADDRESSES + 10):
        pace.spend(f"x{number}")
    assert not pace.spend("a"), "the oldest are forgotten, so memory is bounded"


def test_policy_names_the_chosen_origin_only() -> None:
    assert "frame-src 'self' https://games.example;" in policy(["https://games.example"])
    assert policy().endswith("frame-src 'self'; frame-ancestors 'none'")


@given(st.text(max_size=60))
def test_no_guest_can_be_made_up(text: str) -> None:
    assert read_guest(Signer(b"secret", secure=False), text) == ""


@given(st.text(max_size=200))
def test_any_cookie_header_can_be_read(text: str) -> None:
    for name in read_cookies(text):
        assert name.startswith("arbitre_")


# ── forms ──────────────────────────────────────────────────────────────────────────────────────────────────────────


FORM = {"Content_Type": "application/x-www-form-urlencoded"}


def test_forms_without_the_token_are_refused(client: Client) -> None:
    client.get("/")
    assert client.ask("POST", "/language", b"language=fr", **FORM).status == 403
    assert client.ask("POST", "/language", b"language=fr&form_token=0", **FORM).status == 403
    assert client.ask("POST", "/language", b"language=fr&form_token=", **FORM).status == 403
    assert client.ask("POST", "/language", b"{}", Content_Type="application/json").status == 403
    assert "arbitre_language" not in client.cookies


def test_the_token_of_another_browser_is_refused(client: Client, open_site: Running) -> None:
    other = open_site.client()
    token = TOKEN.search(other.get("/").text)
    assert token is not None
    client.get("/")
    assert client.ask("POST", "/language", f"language=fr&form_token={token[1]}".encode(), **FORM).status == 403
    assert other.ask("POST", "/language", f"language=fr&form_token={token[1]}".encode(), **FORM).status == 303


def test_a_forged_guest_is_nobody(client: Client) -> None:
    client.cookies[GUEST_COOKIE] = "me.0000"
    client.get("/")
    assert not client.cookies[GUEST_COOKIE].startswith("me.")


def test_scripts_may_send_the_token_in_a_header(client: Client) -> None:
    token = TOKEN.search(client.get("/").text)
    assert token is not None
    assert client.ask("POST", "/language", b"language=fr", X_Form_Token=token[1], **FORM).status == 303


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(client: Client) -> None:
    cookie = client.get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie, "this site is reached by http"


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(quiet(tmp_path_factory.mktemp("secure"), public_url="https://games.example")) as found:
        yield found


@pytest.mark.parametrize("path", ["/", "/nowhere", "/api/games", "/static/site.css", "/interfaces/none", "/" + "x" * 3_000])
def test_every_answer_has_its_headers(secure: Running, path: str) -> None:
    headers = secure.client().get(path).headers
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "default-src 'self'" in headers["content-security-policy"]
    ours = not path.startswith(("/static/", "/interfaces/"))
    assert headers.get("x-frame-options") == ("DENY" if ours else None)
    assert headers["cross-origin-resource-policy"] == ("same-origin" if ours else "cross-origin")
    assert "server" not in headers


def test_a_site_by_http_promises_no_https(client: Client) -> None:
    assert "strict-transport-security" not in client.get("/").headers


# ── how often ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_too_many_requests_are_refused_with_a_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = quiet(tmp_path_factory.mktemp("busy"), pace=30, trusted_proxy=("127.0.0.0/8",), public_url="https://games.example")
    with running(settings) as site:
        client = site.client()
        assert "Secure" in client.get("/", X_Forwarded_For="192.0.2.1").headers["set-cookie"]
        answers = [client.get("/nowhere", X_Forwarded_For="192.0.2.7") for _ in range(12)]
        assert [one.status for one in answers] == [404] * 5 + [429] * 7, "what leads nowhere counts more"
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert "Too many requests" in answers[-1].text
        assert f"Wait {answers[-1].headers['retry-after']} second" in answers[-1].text
        assert "default-src 'self'" in answers[-1].headers["content-security-policy"]
        assert client.get("/", X_Forwarded_For="192.0.2.8").status == 200, "others are not affected"
        assert {client.get("/static/site.css", X_Forwarded_For="192.0.2.9").status for _ in range(60)} == {200}
        assert client.get("/answer/none/none", X_Forwarded_For="192.0.2.7").status == 404, "engines that answer are never held up"
        assert site.site.receiver.public == "https://games.example"
