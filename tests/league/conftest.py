"""Services are tested on the loop that the site runs them on."""

from tests.loop import as_the_site_runs_them

__all__ = ["as_the_site_runs_them"]
