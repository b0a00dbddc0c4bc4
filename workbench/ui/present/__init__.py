"""Values to strings, rows and pieces for the page; knows no gradio."""
