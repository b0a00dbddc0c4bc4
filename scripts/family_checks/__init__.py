"""Checks of the families of everyday tools: of what they declare, and of requests drawn from them."""
