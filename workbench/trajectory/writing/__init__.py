"""A trajectory as a row: what a format can hold of it, what is lost, and the proof that nothing else is."""
