"""Searches for a better contract, as runs whose arms are the candidates."""
