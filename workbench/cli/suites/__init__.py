"""Verbs of suites: play them, compare runs."""
