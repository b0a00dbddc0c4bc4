"""The text that is read: the terms it is read under, the places in it, and what is noted of it."""
