"""Run tool calls: the catalog's tools and mock rules, MCP servers, and the terminal."""
