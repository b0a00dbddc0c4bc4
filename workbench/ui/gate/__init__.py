"""The gate that every request to the page, its API and its MCP server passes before Gradio sees it."""
