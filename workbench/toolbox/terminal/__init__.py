"""Commands that really run: here, in a container or over ssh; only where a person switched it on."""
