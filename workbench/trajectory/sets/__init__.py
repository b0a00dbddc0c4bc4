"""Many rows together: split, counted and described."""
