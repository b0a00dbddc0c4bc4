"""An HTTP server that speaks the OpenAI protocol: any client talks to a contract and an engine."""
