"""Components alone on an empty page: values go in, events come out, and neither Gradio nor a server is there."""
