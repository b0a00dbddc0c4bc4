"""What stands inside one call block: a JSON or XML body, read to names and arguments, each departure
noted."""
