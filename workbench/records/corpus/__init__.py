"""Sessions as training rows, and rows as sessions."""
