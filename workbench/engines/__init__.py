"""Models that go on from a text: local through llama.cpp, or written out in a file."""
