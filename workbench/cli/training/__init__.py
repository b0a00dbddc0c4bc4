"""The commands that generate training rows, train on them and measure the result."""
