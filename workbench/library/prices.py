"""`prices.yaml` of the data folder: what models cost."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from workbench.errors import BadInput
from workbench.suite.played import Price

FILE: Final = "prices.yaml"


class _PriceForm(BaseModel):
    model_config = ConfigDict(extra="forbid")
    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class _PricesForm(RootModel[dict[str, _PriceForm]]):
    pass


def load_prices(data: Path) -> Mapping[str, Price]:
    """US dollars a million tokens by the model's name; empty where there is no file.

    Raises:
        BadInput: The file cannot be read.
    """
    path = data / FILE
    if not path.is_file():
        return {}
    try:
        form = _PricesForm.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise BadInput(f"file {path}", " ".join(str(error).split())) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        remedy = "write MODEL: {prompt: …, completion: …}"
        raise BadInput(f"file {path}, {place or 'the file'}", first["msg"], remedy) from error
    return {name: Price(one.prompt, one.completion) for name, one in form.root.items()}
