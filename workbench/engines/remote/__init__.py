"""Models on servers that speak the OpenAI protocol, with limits on what a server may send."""
