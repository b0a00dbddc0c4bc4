"""Send requests to servers and read their answers, with limits on what a server may send."""
