"""Generate rows that teach tool calling, train on them, and write the adapter."""
