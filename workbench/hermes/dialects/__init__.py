"""Recognize tool calls that are written in the form of another model family, and explain who reads them."""
