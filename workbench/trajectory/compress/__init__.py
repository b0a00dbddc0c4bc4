"""Long conversations made to fit: a stretch of the middle is replaced by a summary."""
