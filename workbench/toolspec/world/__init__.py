"""Worlds: JSON values that tools read and change, one for each session."""
