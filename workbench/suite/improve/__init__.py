"""The pure part of `workbench improve`: candidates, moves, the three parts of a suite, and the verdict."""
