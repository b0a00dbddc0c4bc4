"""Training rows: every format read into one kind of trajectory, validated, converted and written."""
