"""Own parts of the page, a Python class and a script each; text always lands in the document as text."""
