"""The row formats: how each is recognized, read and written, and what it can hold."""
