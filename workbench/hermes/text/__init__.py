"""The text that is parsed: the options of parsing, positions of tags, and notes about fixes and findings."""
