"""Entry point of `workbench` and `python -m workbench`."""

from workbench.cli.app import run


def main() -> None:
    """Runs the command that the command line names, and exits."""
    run()


if __name__ == "__main__":
    main()
