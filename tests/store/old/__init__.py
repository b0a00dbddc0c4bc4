"""Databases as released revisions wrote them: a SQL dump, or a packed file by `python -m tests.store.old.write`."""
