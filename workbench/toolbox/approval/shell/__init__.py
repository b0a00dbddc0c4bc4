"""Parse shell text into commands with a real grammar. Anything uncertain is reported as a problem."""
