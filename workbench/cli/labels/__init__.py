"""`workbench labels`: the queue, labels given and exported, projects, agreement, what is stale, the log."""
