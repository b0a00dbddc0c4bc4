"""Split a completion into blocks: call blocks, calls without tags, thoughts and truncated blocks."""
