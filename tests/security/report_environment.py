"""Run instead of the child that opens models: print how many of its variables contain a secret, and fail."""

import os
import sys

if __name__ == "__main__":
    found = [name for name, value in os.environ.items() if "secret-word" in value]
    sys.stdout.write(f"secrets: {len(found)}")
    sys.exit(1)
