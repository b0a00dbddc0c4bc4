"""What is sent to a server: the body of a request, and how it forces a call."""
