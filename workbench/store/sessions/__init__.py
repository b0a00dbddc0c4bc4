"""Sessions: messages, search, facts, sharing and recordings."""
