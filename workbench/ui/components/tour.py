"""The tour of a first visit; `first_visit` is its event."""

from workbench.ui.components.drawn import Drawn


class Tour(Drawn):
    """The tour of a first visit; `first_visit` is its event."""

    script = "tour.js"
