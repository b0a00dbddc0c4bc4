"""What several formats share: messages of chat APIs, and entries of text with results."""
