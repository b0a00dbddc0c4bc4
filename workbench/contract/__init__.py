"""What we tell a model: contracts as text and value, and their composition with the offered tools."""
