"""Files that people write and keep: contracts, tools, prices, and data sets."""
