"""The Label tab: queue, conversation, label panel, and the form of a call."""
