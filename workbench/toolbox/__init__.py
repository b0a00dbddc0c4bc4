"""Run tool calls: tools of the catalog with mock rules or code, tools of MCP servers, and the terminal."""
