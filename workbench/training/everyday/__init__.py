"""Generate rows about everyday tools from families that people write by hand."""
