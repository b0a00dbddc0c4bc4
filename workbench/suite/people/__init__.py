"""The person of a conversation: what they want, what they say, and whether they erred."""
