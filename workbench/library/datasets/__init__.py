"""Files of training rows, streamed: JSON Lines, plain or gzip, JSON arrays, Parquet; and dataset repositories."""
