"""The row formats: how each is recognised, read and written, and what it can hold."""
