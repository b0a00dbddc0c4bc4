"""Commands for files of training rows."""
