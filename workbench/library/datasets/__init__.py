"""Stream files of training rows (JSON Lines, gzip, JSON arrays, Parquet), and push them to dataset repositories."""
