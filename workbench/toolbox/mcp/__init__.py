"""Tools of MCP servers. The servers are listed in a settings file, and the tools of each server are a toolset."""
