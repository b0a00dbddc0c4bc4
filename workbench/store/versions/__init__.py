"""Versions of contracts, tools, presets and suites, and named setups."""
