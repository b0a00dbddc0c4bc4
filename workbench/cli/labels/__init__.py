"""`workbench labels`: the labelling queue, labels, projects, agreement, stale messages and the log."""
