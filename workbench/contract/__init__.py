"""Contracts: parsed from text, checked, and composed with the offered tools into a system prompt."""
