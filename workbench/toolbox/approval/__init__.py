"""Which commands need approval, which are never allowed, and how approval is asked for."""
