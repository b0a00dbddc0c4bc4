"""The Contracts tab: the list, the editor with its lint and versions, and the text that a model would get."""
