"""Runs calls: the catalog's declarative tools and their mock rules."""
