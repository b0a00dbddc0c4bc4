"""What servers can do: what the documentation of their software says, and what short requests find out."""
