"""The arena: every live match of a site, resumed after a crash as if nothing had happened."""
