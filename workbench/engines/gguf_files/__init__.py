"""Check GGUF files before llama.cpp loads them: headers first, then a trial load in a separate process."""
