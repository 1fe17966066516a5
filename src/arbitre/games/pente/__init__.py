"""Pente: five in a row or five captured pairs on nineteen lines."""
