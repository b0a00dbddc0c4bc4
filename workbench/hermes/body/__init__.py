"""What stands inside one call block: a JSON or XML body, from its payloads to names and arguments."""
