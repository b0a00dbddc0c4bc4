"""Generate conversations over invented tools from grammars; the same seed gives the same rows."""
