"""Accounts: registering, logging in and out, one's own page, and the link by which an operator lets somebody in again.

Who guesses is slowed down at the door (`web.door`); which of name and password was wrong is not said. A guest
who logs in keeps the games of this browser; who logs out leaves none of them behind.
"""

import asyncio
from functools import partial
from time import time
from typing import Any

from litestar import Request, Response, get, post
from litestar.response import Redirect

from arbitre.errors import (
    ArbitreError,
    CommunityError,
    ExpiredError,
    ForbiddenError,
    HasteError,
    LockedError,
    NameTakenError,
    UnfitError,
    WrongPasswordError,
)
from arbitre.site import entrance
from arbitre.site.accounts import Account
from arbitre.site.sessions import SessionId
from arbitre.site.tokens import TokenId, scopes_of
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, number_in
from arbitre.web.house import WebApp
from arbitre.web.pages.front import inside
from arbitre.web.throttle import remember_device
from arbitre.web.visit import SESSION_COOKIE, YEAR, Visit


def spoken(visit: Visit, error: ArbitreError) -> str:
    """Return an error of the community in the visitor's words, where pages often show it."""
    if isinstance(error, UnfitError) and error.field == "name":
        return visit.words(
            "A name has 3 to 30 letters, digits, points, hyphens or underscores, and is not one of the house’s own."
        )
    if isinstance(error, UnfitError) and error.field == "password":
        return visit.words("A password has at least 8 characters, four of them different, and is not the name.")
    if isinstance(error, UnfitError) and error.field == "scopes":
        return visit.words("Choose at least one thing that the token is good for.")
    if isinstance(error, NameTakenError):
        return visit.words("This name is taken, or looks too much like one that is.")
    if isinstance(error, WrongPasswordError):
        return visit.words("Name and password do not belong together.")
    if isinstance(error, ExpiredError):
        return visit.words("This link was used, or is too old. Ask the operator for a new one.")
    if isinstance(error, HasteError):
        return visit.words.number(
            "Too many attempts. Wait %(count)s second.", "Too many attempts. Wait %(count)s seconds.", max(1, round(error.wait))
        )
    if isinstance(error, LockedError):
        return visit.words(
            "This account is locked: %(why)s. If you do not agree, ask the operator. You may play and watch as a guest.",
            why=error.why.rstrip("."),
        )
    return visit.words.of(error)


def again(house: WebApp, visit: Visit, template: str, error: ArbitreError, **context: Any) -> Response[str]:
    """Show a form again, with what was wrong."""
    status = 429 if isinstance(error, HasteError) else 400
    response = house.page(visit, template, status=status, problem=spoken(visit, error), **context)
    if isinstance(error, HasteError):
        response.headers["Retry-After"] = str(round(error.wait) + 1)
    return response


async def let_in(house: WebApp, visit: Visit, request: Request[Any, Any, Any], account: Account) -> None:
    """Begin a session, and let the browser keep its token; it is known from now on."""
    agent = request.headers.get("user-agent", "")
    opened = await asyncio.to_thread(house.community.sessions.start, account, agent)
    visit.keep(SESSION_COOKIE, opened.token, YEAR)
    remember_device(visit, account.name)


# ── coming and going ───────────────────────────────────────────────────────────────────────────────────────────────


@get("/register")
async def register_page(house: OurHouse, visit: ThisVisit, back: FromQuery[str] = "") -> Response[Any]:
    """Show the form of a new account."""
    if visit.person is not None:
        return Redirect("/account", status_code=303)
    return house.page(visit, "register.html", problem="", name="", back=inside(back), open=house.settings.registration)


@post("/register")
async def register(house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], data: Form) -> Response[Any]:
    """Make an account, and log it in."""
    name, password, back = data.get("name", ""), data.get("password", ""), inside(data.get("back", ""))
    form: dict[str, Any] = {"name": name[:100], "back": back, "open": True}
    try:
        account = await entrance.register(house, visit.caller, name, password)
    except ForbiddenError:
        raise
    except CommunityError as error:
        return again(house, visit, "register.html", error, **form)
    await let_in(house, visit, request, account)
    return Redirect(back, status_code=303)


@get("/login")
async def login_page(house: OurHouse, visit: ThisVisit, back: FromQuery[str] = "") -> Response[Any]:
    """Show the form to log in."""
    if visit.person is not None:
        return Redirect(inside(back), status_code=303)
    return house.page(visit, "login.html", problem="", name="", back=inside(back))


@post("/login")
async def login(house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], data: Form) -> Response[Any]:
    """Log somebody in who knows the password."""
    name, password, back = data.get("name", ""), data.get("password", ""), inside(data.get("back", ""))
    check = partial(house.hashed, house.community.accounts.authenticate, name, password)
    try:
        account = await house.door.knock(visit, name, check)
    except CommunityError as error:
        return again(house, visit, "login.html", error, name=name[:100], back=back)
    await let_in(house, visit, request, account)
    return Redirect(back, status_code=303)


@post("/logout")
async def logout(house: OurHouse, visit: ThisVisit) -> Redirect:
    """End the session; the browser forgets its guest too."""
    if visit.session:
        await asyncio.to_thread(house.community.sessions.end, visit.session)
    visit.drop(SESSION_COOKIE)
    visit.new_guest()
    return Redirect("/", status_code=303)


@get("/reset/{token:str}")
async def reset_page(house: OurHouse, visit: ThisVisit, token: FromPath[str]) -> Response[str]:
    """Show the form for a new password to who has the operator's link."""
    account = await entrance.look_at_reset(house, visit.caller, token)
    return house.page(visit, "reset.html", problem="", name=account.name)


@post("/reset/{token:str}")
async def reset(
    house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], token: FromPath[str], data: Form
) -> Response[Any]:
    """Set the new password, and log in."""
    try:
        account = await entrance.reset(house, visit.caller, token, data.get("password", ""))
    except (ExpiredError, HasteError):
        raise
    except CommunityError as error:
        return again(house, visit, "reset.html", error, name="")
    await let_in(house, visit, request, account)
    return Redirect("/account", status_code=303)


# ── one's own page ─────────────────────────────────────────────────────────────────────────────────────────────────


async def _mine(house: WebApp, visit: Visit, person: Account, error: ArbitreError | None = None, **more: Any) -> Response[str]:
    community = house.community
    sessions = await asyncio.to_thread(community.sessions.of, person)
    tokens = await asyncio.to_thread(community.tokens.of, person)
    context = {
        "sessions": sessions,
        "tokens": tokens,
        "scopes": scopes_of(person),
        "secret": "",
        "said": "",
        "about": "",
        "now": time(),
    }
    if error is not None:
        return again(house, visit, "account.html", error, **context | more)
    return house.page(visit, "account.html", problem="", **context | more)


@get("/account")
async def account_page(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show one's own page."""
    return await _mine(house, visit, person)


@post("/account/password")
async def change_password(
    house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], person: ThisPerson, data: Form
) -> Response[Any]:
    """Set another password; every other session and every token ends."""
    try:
        await entrance.change_password(house, person, data.get("old", ""), data.get("new", ""))
    except CommunityError as error:
        return await _mine(house, visit, person, error, about="password")
    await let_in(house, visit, request, person)
    return Redirect("/account?changed=1", status_code=303)


@post("/account/sessions/end")
async def end_sessions(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Redirect:
    """End one session, or all but this one."""
    which = data.get("session", "")
    if which == "others":
        await asyncio.to_thread(house.community.sessions.revoke_all, person, visit.stay)
    else:
        await asyncio.to_thread(house.community.sessions.revoke, person, SessionId(number_in(which)))
    return Redirect("/account", status_code=303)


@post("/account/tokens")
async def make_token(house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], person: ThisPerson) -> Response[str]:
    """Make a token for a program; its secret is shown this once."""
    form = await request.form()
    until = str(form.get("days", ""))
    days = number_in(until, 0) if until else None  # an end that cannot be read is not taken for none
    try:
        scopes = map(str, form.getall("scope", []))
        minted = await entrance.make_token(house, person, str(form.get("name", "")), scopes, days)
    except CommunityError as error:
        return await _mine(house, visit, person, error, about="tokens")
    return await _mine(house, visit, person, secret=minted.secret, about="tokens")


@post("/account/tokens/end")
async def end_token(house: OurHouse, person: ThisPerson, data: Form) -> Redirect:
    """End a token."""
    await asyncio.to_thread(house.community.tokens.revoke, person, TokenId(number_in(data.get("token", ""))))
    return Redirect("/account", status_code=303)


@post("/account/delete")
async def delete_account(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Erase the account of who knows its password; games stay, under a neutral name."""
    try:
        await entrance.erase(house, person, data.get("password", ""))
    except CommunityError as error:
        return await _mine(house, visit, person, error, about="delete")
    visit.drop(SESSION_COOKIE)
    visit.new_guest()
    return Redirect("/", status_code=303)
