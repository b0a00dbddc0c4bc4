"""The Label tab: a queue for the keyboard, a conversation, and what is said of it."""
