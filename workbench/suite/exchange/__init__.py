"""Suites in other formats: BFCL, promptfoo, and OpenAI messages with gold calls."""
