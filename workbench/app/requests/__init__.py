"""Requests and answers of programs as JSON, the same for the command line and the API."""
