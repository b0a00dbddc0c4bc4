"""Validate training rows: each rule is a function from a row to findings with their positions."""
