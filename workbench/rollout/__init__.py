"""One turn of a conversation as a stream of events: prompt, completion, reading, tool results, repeat."""
