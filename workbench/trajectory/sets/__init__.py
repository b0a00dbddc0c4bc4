"""Many rows together: how they are dealt out, counted and described."""
