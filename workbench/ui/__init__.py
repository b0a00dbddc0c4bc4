"""The web page: tabs, components, theme, access control, and the values that are displayed."""
