"""Attacks on the product, by class: each is answered with a message, and nothing is lost or shown."""
