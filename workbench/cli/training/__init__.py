"""Commands that generate training rows and train on them."""
