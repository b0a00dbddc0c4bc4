"""Import and export suites: BFCL, promptfoo, and OpenAI messages with expected calls."""
