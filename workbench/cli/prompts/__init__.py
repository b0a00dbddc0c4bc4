"""Verbs of the renderer: `render` and `template`."""
