"""Backups, checks of stored rows, and temporary databases."""
