"""Input, output, progress and interrupts, shared by all commands."""
