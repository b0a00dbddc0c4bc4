"""Tool specs: validate, lint, import and export them, check arguments and build grammars."""
