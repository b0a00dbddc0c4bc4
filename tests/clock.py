"""A clock for tests of what happens after some time."""


class Clock:
    """A clock that a test moves forward."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s
