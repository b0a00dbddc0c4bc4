"""Labels of messages and calls, and the projects and queues in which people label."""
