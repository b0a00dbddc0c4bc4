"""What of a completion that is still being written is certain, and what must wait."""
