"""Approval of shell commands: which run without it, which need it, and which are always refused."""
