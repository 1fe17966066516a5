"""Old addresses: they lead for good to where a page lives now, with the query that was asked."""

from typing import Any

from litestar import Request, get
from litestar.response import Redirect

MOVED = {"/train": "/watch"}
"""Where pages lived, and where they live now."""


@get(list(MOVED))
async def moved(request: Request[Any, Any, Any]) -> Redirect:
    """Lead to the new address."""
    query = request.url.query
    return Redirect(MOVED[request.url.path] + (f"?{query}" if query else ""), status_code=301)
