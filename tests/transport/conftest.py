"""The programs of the example of an added game are there for every test of this folder that asks for them."""

from tests.added import example, pawns

__all__ = ["example", "pawns"]
