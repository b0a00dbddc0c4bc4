"""Verbs of the reader: `parse` and `differ`."""
