"""What commands share in the terminal: input, output, progress and interrupts."""
