"""The environments: this machine, containers, other machines and cloud sandboxes, each in a file."""
