"""Verbs for files of training rows."""
