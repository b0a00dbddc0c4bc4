"""Models on the Hugging Face hub and in its local cache."""
