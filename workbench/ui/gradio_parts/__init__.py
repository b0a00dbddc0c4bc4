"""The only room that uses parts of Gradio that are not public.

Each module and script says in its first lines what it replaces or reads, why, and in a line `*Gradio 6.31:*` where that
is in Gradio. `tests/ui/gradio_parts/test_sources.py` compares those places with the installed version, and names the
part to look at when another version changes one. Everything else in this package uses only Gradio's public names.
"""
