"""Commands that really run: locally, in a container or over ssh, and only if somebody enabled it."""
