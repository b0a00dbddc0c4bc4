"""Gradio's components without the files that it writes beside their source."""

from abc import ABCMeta
from typing import Any, cast

from gradio import component_meta
from gradio.component_meta import ComponentMeta


class Stubless(ComponentMeta):
    """Gradio's own metaclass writes a `.pyi` file beside each component's source; ours stays as it is.

    *Source:* gradio 6.31, component_meta.py, `create_or_modify_pyi`.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> "Stubless":
        if "__init__" in attributes:
            attributes["__init__"] = cast(Any, component_meta).updateable(attributes["__init__"])
        return ABCMeta.__new__(cls, name, bases, attributes)
