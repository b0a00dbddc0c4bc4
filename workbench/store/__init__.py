"""The database: sessions as trees of messages, labels, versions, runs and comparisons."""
