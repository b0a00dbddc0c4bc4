"""The wire format: a completion to a Reading, a conversation to a Prompt, byte for byte."""
