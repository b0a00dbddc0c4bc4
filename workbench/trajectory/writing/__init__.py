"""Write a trajectory as a row: what the format can hold, what is lost, and proof that nothing else is."""
