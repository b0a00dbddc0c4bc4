"""Labelling: judge and correct what models wrote, alone or as a team."""
