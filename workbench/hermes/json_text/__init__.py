"""JSON as models write it: a recovering reader, and the quick ways through what is sound."""
