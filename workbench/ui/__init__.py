"""The page: tabs, own components, theme, and what values become before anyone sees them."""
