"""Entry point of `workbench` and `python -m workbench`."""

from workbench.cli.app import run


def main() -> None:
    """Run the command that the command line names, and exit."""
    run()


if __name__ == "__main__":
    main()
