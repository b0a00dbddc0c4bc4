"""Commands for suites: run them, compare runs, import and export."""
