"""Suites of cases with expectations: parse, run, score, compare and report."""
