"""Conversations to look at before there are any: played by a script, kept as any other."""
