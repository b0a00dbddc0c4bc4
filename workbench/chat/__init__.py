"""The nouns: messages, calls, results, spans, findings and fixes; values that know nothing of any format."""
