"""Rules for calls in the XML form, where texts are written unchanged and all other values as JSON.

*Source:* Qwen3-Coder chat template.
"""

import json
from typing import Final

from workbench.errors import ConstraintFailed
from workbench.toolspec.conjunction import Case, Goal
from workbench.toolspec.gbnf import GrammarRules, add_text_without, literal
from workbench.toolspec.gbnf_patterns import Spelling
from workbench.toolspec.schema_rules import SchemaRules
from workbench.toolspec.spec import ToolSpec

PARAMETER_CLOSE: Final = "</parameter>"
_CLOSED: Final = literal(f"\n{PARAMETER_CLOSE}\n")
MAX_COUNTED: Final = 64
"""A text of up to this many characters is counted, and cannot contain `<`. Longer texts are free."""
_PLAIN: Final = Spelling(is_json=False, char=r"[^<\r]")


class XmlRules:
    """Add the rules for the bodies of calls to a grammar."""

    def __init__(self, rules: GrammarRules) -> None:
        self._rules = rules
        self._free = add_text_without(rules, PARAMETER_CLOSE)
        self._not_empty = rules.add(f'[^<] {self._free} | "<" [^/<] {self._free}')

    def body(self, rules: GrammarRules, spec: ToolSpec, schemas: SchemaRules) -> str:
        """Return the rule for the body of a call.

        Raises:
            ConstraintFailed: The schema allows no value.
        """
        bodies = [
            text
            for case in schemas.cases()
            if "object" in (case.implied_kinds() or {"object"})
            and (text := self._case(spec, case, schemas)) is not None
        ]
        if not bodies:
            raise ConstraintFailed("the schema allows no value")
        return rules.either(bodies)

    def _case(self, spec: ToolSpec, case: Case, schemas: SchemaRules) -> str | None:
        parts = [literal(f"<function={spec.name}>\n")]
        for name, goal in schemas.members(case):
            value = self._value(goal, schemas)
            if value is not None:
                opened = literal(f"<parameter={name}>\n")
                member = f"{opened} {value} {_CLOSED}"
                parts.append(member if name in case.required else f"({member})?")
            elif name in case.required:
                return None
        schemas.report(case, "object")
        return self._rules.add(" ".join([*parts, literal("</function>")]))

    def _value(self, goal: Goal, schemas: SchemaRules) -> str | None:
        """Return the rule for a value, or None if there is none."""
        found: dict[str, None] = {}
        for case in schemas.cases(goal):
            if case.values is not None:
                for value in schemas.constants(case, goal):
                    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                    found[literal(text)] = None
                continue
            for kinds in schemas.kinds(case):
                texts = schemas.of_kinds(kinds - {"string"}, case)
                if (not kinds or "string" in kinds) and schemas.has_texts(case):
                    texts.append(self._text(case, schemas))
                if self._free in texts:
                    # It includes the texts of all other values.
                    return self._free
                if texts:
                    found |= dict.fromkeys(texts)
                    break
        return self._rules.either(found) if found else None

    def _text(self, case: Case, schemas: SchemaRules) -> str:
        """Return the rule for a text, which is free if its limits cannot be enforced."""
        lengths = [case.limits.get(keyword, {}).values() for keyword in ("minLength", "maxLength")]
        has_pattern = "pattern" in case.limits or "format" in case.limits
        is_short = any(isinstance(most, int) and most <= MAX_COUNTED for most in lengths[1])
        if has_pattern or is_short:
            text = schemas.text_of(case, _PLAIN)
            schemas.report(case, "string", "minLength", "maxLength", "pattern", "format")
            return self._rules.add(text) if text else self._free
        if not lengths[1] and all(least in (0, 1) for least in lengths[0]):
            schemas.report(case, "string", "minLength")
            return self._not_empty if 1 in lengths[0] else self._free
        schemas.report(case, "string")
        return self._free
