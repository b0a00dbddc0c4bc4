"""Conversations over tools that no one wrote, from grammars: the same seed, the same rows."""
