"""A metaclass without the `.pyi` file that Gradio's metaclass writes next to each component's source.

*Gradio 6.31:* `component_meta.ComponentMeta`, `component_meta.create_or_modify_pyi`, `component_meta.updateable`.
"""

from abc import ABCMeta
from typing import Any, cast

from gradio import component_meta
from gradio.component_meta import ComponentMeta


class Stubless(ComponentMeta):
    """The metaclass of our own components."""

    def __new__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> "Stubless":
        if "__init__" in attributes:
            attributes["__init__"] = cast(Any, component_meta).updateable(attributes["__init__"])
        return ABCMeta.__new__(cls, name, bases, attributes)
