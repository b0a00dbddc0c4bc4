"""Databases of released revisions, as compressed files that `python -m tests.store.old.write` wrote."""
