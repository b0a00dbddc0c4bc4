"""Work with many rows together: split, count and describe them."""
