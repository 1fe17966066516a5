"""Poker: heads-up hold'em with a hundred chips a hand."""
