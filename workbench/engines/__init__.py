"""Models that go on from a text: local through llama.cpp, behind a server, recorded, or written out in a file."""
