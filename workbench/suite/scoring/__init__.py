"""From what was played to a score: one function for each kind of expectation."""
