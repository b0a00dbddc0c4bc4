"""Sessions as material for training rows, and rows imported as sessions."""
