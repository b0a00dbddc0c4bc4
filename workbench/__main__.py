"""Entry point of `workbench` and `python -m workbench`."""

import sys

INTERRUPTED = 130
"""`ExitCode.INTERRUPTED`, which cannot be imported before Ctrl+C is handled."""


def main() -> None:
    """Run the command that the command line names, and exit."""
    try:
        # Slow. Ctrl+C may come before the command runs, which handles it itself.
        from workbench.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
