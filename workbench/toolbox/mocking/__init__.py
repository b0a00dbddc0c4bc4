"""What mock rules are made of: conditions, templates, values made from a schema."""
