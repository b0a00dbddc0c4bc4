"""Formats that are read only: sets that others published."""
