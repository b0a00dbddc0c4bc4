"""The application: what the page, the command line and the API do with models, tools and the store."""
