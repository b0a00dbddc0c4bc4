"""Template families: how each kind of model expects prompts, tools, calls and results to be written."""
