"""An engine that knows its model's own chat template."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Templated(Protocol):
    """An engine that knows its model's own chat template."""

    def chat_template(self) -> str | None:
        """The Jinja text, the one for tools where there are several; None where the model has none."""
        ...
