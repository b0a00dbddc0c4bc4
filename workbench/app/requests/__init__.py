"""Parse requests and write answers as JSON, in the same form for the command line and the API."""
