"""How a prompt is put together with the places of its parts, and what is told of it."""
