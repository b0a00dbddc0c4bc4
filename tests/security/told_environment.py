"""Run in the place of the child that opens models: says how many of its variables hold a secret, and fails."""

import os
import sys

if __name__ == "__main__":
    found = [name for name, value in os.environ.items() if "secret-word" in value]
    sys.stdout.write(f"secrets: {len(found)}")
    sys.exit(1)
