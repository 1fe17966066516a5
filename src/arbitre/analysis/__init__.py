"""Finished games judged, in documents that anybody can check."""
