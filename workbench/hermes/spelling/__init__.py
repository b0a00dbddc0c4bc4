"""How each kind of model spells prompts: families as data, and the small pieces that they are made of."""
