"""Files of training rows: JSON Lines, plain or gzip, JSON arrays and Parquet, streamed; and the hub."""
