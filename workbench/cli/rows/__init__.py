"""The commands for files of training rows."""
