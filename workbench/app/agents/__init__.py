"""The MCP server on standard input and output, for agents on this machine."""
