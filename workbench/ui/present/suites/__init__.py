"""Suites on the page: the form of a run, its progress, its results, and the suite editor."""
