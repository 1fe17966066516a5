"""Pages of third parties in frames of ours: which address can be one, and what such a frame may do (spec: tournoyons, 5)."""

import re

from arbitre.errors import ForbiddenAddressError, UnfitError, shorten
from arbitre.reasons import Reason, reason_of
from arbitre.transport.guard import check_form, read_url

STRICT, OWN_ORIGIN = "allow-scripts", "allow-scripts allow-same-origin"
"""What a frame may do; with the second, a page of another origin than ours keeps that origin, and no more."""

HOST = re.compile(r"[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]+\]")

INSECURE = Reason("this site is reached by https, and browsers show no http page within it")


def origin_of(address: str) -> str:
    """Return the origin of somebody's page as `frame-src` names it; `UnfitError` where it would say anything else."""
    try:
        url = read_url(address)
        check_form(url)
        host, port = url.raw_host or "", url.port
    except (ValueError, ForbiddenAddressError) as error:
        raise UnfitError("url", reason_of(error) or str(error)) from None
    shown = f"[{host}]" if ":" in host else host
    if not HOST.fullmatch(shown) or url.user is not None or url.password is not None:
        raise UnfitError("url", "not an address that can be shown in a frame: %(address)r", address=shorten(address, 80))
    return f"{url.scheme}://{shown}:{port}"


def sandbox_of(address: str, own_origin: bool, site: str) -> str:
    """Return what the frame of a third party's page may do: with our origin it would be a page of ours, so that is never kept."""
    return OWN_ORIGIN if own_origin and origin_of(address) != origin_of(site) else STRICT
