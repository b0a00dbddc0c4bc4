"""Suites of cases with expectations: reading, running, scoring, statistics, comparison, reports."""
