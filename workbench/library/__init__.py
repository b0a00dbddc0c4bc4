"""Files of the user: contracts, tools, suites, prices and datasets."""
