"""Models behind a server: the OpenAI protocol in its variants, with limits on what a server may send."""
