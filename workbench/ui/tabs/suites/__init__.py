"""The Suites tab: choose suites, run them, follow, inspect cases, compare."""
