"""Files that people write: contracts on disk, beside the current folder or inside the wheel."""
