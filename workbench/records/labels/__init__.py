"""Labels of messages, and the projects and queues in which people give them."""
