"""The text being parsed: the terms of parsing, positions in it, and notes about it."""
