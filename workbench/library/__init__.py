"""Files that people write and keep: contracts, beside the current folder or inside the wheel; data sets."""
