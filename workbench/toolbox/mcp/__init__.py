"""Tools of MCP servers: named in a settings file, joined as toolsets, gone when their server is."""
