"""Runs of suites: what is kept of them, how they are planned from names, played and gone on with."""
