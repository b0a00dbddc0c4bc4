"""Several servers with one PostgreSQL database: they see, stop and continue each other's work."""
