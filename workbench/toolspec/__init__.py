"""Tool specs: validated, linted, converted, and used to check arguments and build grammars."""
