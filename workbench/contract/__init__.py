"""Contracts: parse them from files, check them, and compose them with the offered tools into a system prompt."""
