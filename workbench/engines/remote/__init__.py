"""Models behind a server: OpenAI-compatible ones, raw and chat, and the hub's Inference Providers."""
