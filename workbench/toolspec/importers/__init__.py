"""Tools as others write them: chat APIs, MCP, OpenAPI 3, Python functions; read to specs, and written back."""
