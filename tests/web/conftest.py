"""Every test of pages may use the one browser."""

from tests.browser import chromium

__all__ = ["chromium"]
