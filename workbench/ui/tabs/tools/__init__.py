"""The Tools tab: the list of tools, two editors, and trial calls."""
