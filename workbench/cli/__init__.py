"""Verbs for the terminal; each hands its work to the desk and prints what comes of it."""
