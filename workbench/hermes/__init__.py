"""The Hermes format: parse completions into readings, and render conversations to prompts, byte for byte."""
