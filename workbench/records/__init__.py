"""What is stored, as values without I/O, and the training rows that it becomes."""
