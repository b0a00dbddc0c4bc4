"""What the registry is made of: entries, their availability, toolsets, what schemas say of other tools."""
