"""The page: tabs, own components, theme, and the strings and rows that values become before anyone sees them."""
