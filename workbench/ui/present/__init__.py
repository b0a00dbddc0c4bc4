"""Convert values to the text, rows and views that the page shows. Does not import Gradio."""
