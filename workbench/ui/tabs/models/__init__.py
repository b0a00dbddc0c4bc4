"""The Models tab: what is on this machine, what the hub has, and which one is used."""
