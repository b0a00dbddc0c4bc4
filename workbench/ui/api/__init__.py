"""What the page offers to programs and, over MCP, to agents."""
