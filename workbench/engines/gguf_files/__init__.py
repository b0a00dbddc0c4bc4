"""GGUF files that nobody vouches for: their headers read and checked, and first opened in a process of their own."""
