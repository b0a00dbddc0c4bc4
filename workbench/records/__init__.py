"""Stored values without I/O: sessions, messages, labels, versions, runs, comparisons, and the rows they become."""
