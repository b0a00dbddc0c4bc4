"""Training rows: read every format into one kind of trajectory, validate, convert and write it."""
