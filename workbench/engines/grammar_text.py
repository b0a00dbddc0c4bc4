"""A constraint to the grammar text that llama.cpp reads."""

import json
import re
from typing import Final

from workbench.errors import ConstraintFailed
from workbench.rollout.ports import Constraint

# The converter lets raw control characters into strings, which no JSON reader takes.
_CHAR: Final = (
    r'char ::= [^"\\\x7F\x00-\x1F] | [\\] (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F])'
)


def grammar_text(constraint: Constraint) -> str:
    """GBNF: the schema's JSON, then the closing text, then nothing.

    Raises:
        ConstraintFailed: The schema holds something that no grammar can say.
    """
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    try:
        rules = json_schema_to_gbnf(json.dumps(constraint.schema), prop_order=["name", "arguments"])
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ConstraintFailed(f"{type(error).__name__}: {error}") from error
    except (NotImplementedError, RecursionError) as error:
        raise ConstraintFailed(f"{type(error).__name__}: {error}") from error
    rules = re.sub(r"(?m)^char ::= .*$", lambda _: _CHAR, rules)
    rules = re.sub(r"(?m)^root ::= ", "payload ::= ", rules)
    return f"{rules}\nroot ::= payload {json.dumps(constraint.closing)}\n"
