"""A completion cut into stretches: blocks between tags of each kind, calls without tags, thoughts, cuts."""
