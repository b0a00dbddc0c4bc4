"""What a model is given back: well-formed JSON, errors without marks or secrets, never too long."""
