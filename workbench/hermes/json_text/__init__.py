"""JSON as models write it: a recovering reader, and a fast path for valid text."""
