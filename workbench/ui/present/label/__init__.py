"""What the Label tab shows, and what it is asked: queue, conversation, panel, the form of a call."""
