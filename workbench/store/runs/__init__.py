"""Runs of suites and comparisons."""
