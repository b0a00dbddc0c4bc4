"""Verbs that make rows and train on them."""
