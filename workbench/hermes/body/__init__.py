"""The inside of a call block: parse a JSON or XML body into names and arguments."""
