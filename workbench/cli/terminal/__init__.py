"""What verbs share at the terminal: files and standard input, tools, colours, excerpts, JSON lines."""
