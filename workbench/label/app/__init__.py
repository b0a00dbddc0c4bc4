"""What annotators do: open a session, label it, and let a model judge rows."""
