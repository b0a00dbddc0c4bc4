"""Convert sessions to training rows, and rows to sessions."""
