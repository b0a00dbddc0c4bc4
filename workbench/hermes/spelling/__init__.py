"""Render families: how each kind of model spells prompts, as data, and the functions they are made of."""
