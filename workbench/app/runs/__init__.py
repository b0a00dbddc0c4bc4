"""Runs of suites: planned from names, run, stored, and continued after a stop."""
