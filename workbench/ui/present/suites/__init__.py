"""Suites as the page shows them: what a run is asked for, how far it is, what came of it, how one is written."""
