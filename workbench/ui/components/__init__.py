"""Own parts of the page; those that a script of `ui/scripts/` draws are `Drawn`, and set text as text."""
