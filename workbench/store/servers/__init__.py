"""Servers that share the database, and what they have in progress."""
