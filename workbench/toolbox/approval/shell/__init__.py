"""Parse shell text into commands with a real grammar; what is uncertain is reported."""
