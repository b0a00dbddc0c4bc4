"""Reads JSON from a server: never deeper than a limit, and never with an error that is not ours."""

import json
from typing import Final, cast

from workbench.chat.json_value import JsonValue, is_too_deep
from workbench.engines.remote.answer_limits import MOST_DEPTH, AnswerError
from workbench.engines.remote.failures import NO_JSON

TOO_DEEP: Final = f"the server sent JSON that is nested more than {MOST_DEPTH} deep"


def parse_bounded_json(data: bytes) -> JsonValue:
    """The JSON value in `data`; bytes that are not UTF-8 are replaced, `NaN` and `Infinity` become null.

    Raises:
        AnswerError: It is not JSON, or nested too deep.
    """
    try:
        value = cast(JsonValue, json.loads(data.decode("utf-8", "replace"), parse_constant=lambda _: None))
    except RecursionError:
        raise AnswerError(TOO_DEEP) from None
    except ValueError:
        raise AnswerError(NO_JSON) from None
    if is_too_deep(value, MOST_DEPTH):
        raise AnswerError(TOO_DEEP)
    return value
