"""A shell's text as commands, read with a real grammar; what cannot be read for certain is reported."""
