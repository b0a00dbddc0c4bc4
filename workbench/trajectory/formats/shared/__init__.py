"""What several formats share: messages of chat APIs, and results inside a text."""
