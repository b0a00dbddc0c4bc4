"""An HTTP server that speaks OpenAI's and Anthropic's protocols: any client talks to a contract and an engine."""
