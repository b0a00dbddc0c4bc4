"""Bodies of call blocks: parse JSON or XML into tool names and arguments."""
