"""Which commands need a person's word, which none may have, and how the word is asked for."""
