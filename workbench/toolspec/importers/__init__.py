"""Tools in other formats: chat APIs, MCP, OpenAPI 3 and Python functions, imported and exported."""
