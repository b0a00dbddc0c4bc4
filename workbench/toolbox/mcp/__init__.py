"""Tools of MCP servers: named in a settings file, offered as toolsets, withdrawn when their server ends."""
