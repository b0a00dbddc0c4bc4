"""Rows that teach tool calling, the training on them, and what comes out of it."""
