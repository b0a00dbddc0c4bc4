"""JSON as models write it: a reader that repairs it, and a fast path for valid text."""
