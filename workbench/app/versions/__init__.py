"""Versions of contracts, offered tools, presets and suites: what they are, how they differ, and their files."""
