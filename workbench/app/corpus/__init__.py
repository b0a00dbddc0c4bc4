"""Sessions as training rows: which are chosen, what is told of each, what row that makes, and rows as sessions."""
