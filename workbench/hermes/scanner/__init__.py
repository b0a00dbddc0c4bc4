"""Cut a completion into blocks: call blocks of each kind, calls without tags, thoughts, and truncations."""
