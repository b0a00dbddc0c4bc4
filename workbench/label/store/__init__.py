"""Labels, labelling projects and their queues in the database."""
