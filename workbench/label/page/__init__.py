"""The Label tab."""
