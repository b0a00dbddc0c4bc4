"""GGUF models of the Hugging Face hub: found, told, fetched, kept in the hub's own cache, deleted."""
