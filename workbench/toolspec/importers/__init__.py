"""Import tools from chat APIs, MCP, OpenAPI 3 and Python functions, and export them."""
