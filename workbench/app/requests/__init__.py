"""What programs ask and are told, as JSON: the same on the command line and over the API."""
