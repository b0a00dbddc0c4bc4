"""`workbench labels`: queue, labels, projects, agreement, stale labels and the log."""
