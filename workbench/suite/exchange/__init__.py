"""Suites in the forms of others: BFCL, promptfoo, OpenAI messages with gold calls."""
