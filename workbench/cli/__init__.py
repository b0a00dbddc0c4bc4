"""Verbs for the terminal; each hands its work to `workbench.app` and prints what comes of it."""
