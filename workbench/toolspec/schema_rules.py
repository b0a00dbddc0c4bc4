"""Compile JSON Schema to grammar rules, and report the keywords that a grammar cannot enforce.

The rules may allow less than the schema: keys have one order, an object that does not mention other keys is closed, and
a tuple is complete. They never allow more without a report: each keyword that they do not enforce gives a finding.

*Source:* JSON Schema Draft 2020-12, https://json-schema.org/draft/2020-12
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, cast

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, pointer
from workbench.errors import ConstraintFailed
from workbench.toolspec.budget import BudgetExceeded, budget
from workbench.toolspec.conjunction import LIMITS, Case, Goal, matches
from workbench.toolspec.drafts import Draft
from workbench.toolspec.gbnf import MAX_REPETITIONS, GrammarRules, add_key_without, counted, literal
from workbench.toolspec.gbnf_numbers import Range, decimal_of, decimals, integer_bounds, integers
from workbench.toolspec.gbnf_patterns import JSON_SPELLING, PatternRule, Spelling, pattern_rule
from workbench.toolspec.reference_targets import Where
from workbench.toolspec.schema_cases import SchemaCases
from workbench.toolspec.string_formats import FORMATS

KINDS: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
MAX_LISTED: Final = 256
"""Up to this many integers are listed if they must be multiples of a number."""
MAX_KEY_CHARS: Final = 4_000
"""Objects whose declared keys are longer in total may repeat them as free keys, which is reported."""
_ROOT: Final[Goal] = ((),)


class SchemaRules:
    """Add the rules of the schemas in one document to a grammar.

    Args:
        rules: The grammar.
        document: The document to which local `$ref`s refer, as `normal_schema` reads it.
        draft: The draft of JSON Schema in which it is written.
        where: Position of the document, for findings.
    """

    def __init__(
        self,
        rules: GrammarRules,
        document: JsonValue,
        *,
        draft: Draft = Draft.DRAFT_2020_12,
        where: Where = (),
    ) -> None:
        self._rules = rules
        self._document = document
        self._draft = draft
        self._root = where
        self._cases = SchemaCases(document, draft, rules.count)
        self._texts: dict[Goal, str | None] = {}
        self._unfinished: dict[Goal, str] = {}
        self._found: dict[str, Finding] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The keywords that the rules do not enforce, each once."""
        return tuple(self._found.values())

    def whole(self) -> str:
        """Return the rule text for JSON that fits the whole document.

        Raises:
            ConstraintFailed: The schema has a broken reference, or allows no value.
            RecursionError: It is nested too deeply.
        """
        text = self.value(_ROOT)
        if text is None:
            raise ConstraintFailed("the schema allows no value")
        return text

    def value(self, goal: Goal) -> str | None:
        """Return the rule text for JSON that fits a goal, or None if no value does."""
        self._rules.count()
        if not goal:
            return "value"
        if goal in self._texts:
            return self._texts[goal]
        if goal in self._unfinished:
            # A schema that contains itself: the rule gets a name before its text is known.
            self._unfinished[goal] = self._unfinished[goal] or self._rules.reserve()
            return self._unfinished[goal]
        self._unfinished[goal] = ""
        text = self._of_cases(goal) if self._cases.is_possible(goal) else None
        if name := self._unfinished.pop(goal):
            self._rules.set(name, text or f'"\\x00" {name}')
            text = text and name
        self._texts[goal] = text
        return text

    def cases(self, goal: Goal = _ROOT) -> tuple[Case, ...]:
        """Return the cases of a goal, by default of the whole document."""
        return self._cases.of(goal) if self._cases.is_possible(goal) else ()

    def members(self, case: Case) -> Iterator[tuple[str, Goal]]:
        """Yield each key that an object may have in any case, with its goal, in the order written."""
        for name in dict.fromkeys((*case.members, *case.required)):
            yield name, case.goal_of(name)

    def constants(self, case: Case, goal: Goal) -> list[JsonValue]:
        """Return the listed values of a case that fit the whole goal."""
        values = list(case.values or ())
        plain = Case(kinds=case.kinds, values=case.values)
        return values if case.key == plain.key else self._checked(values, case, goal)

    def report(self, case: Case, kind: str, *enforced: str) -> None:
        """Report the limits of a case that apply to a type, apart from those that are enforced."""
        kind = "number" if kind == "integer" else kind
        for keyword, limit in case.limits.items():
            if LIMITS[keyword] in ("", kind) and keyword not in enforced:
                for where in limit:
                    self._report(keyword, where)

    def has_texts(self, case: Case) -> bool:
        """Return whether a string can be as long and as short as a case says."""
        shortest, longest = self._bounds(case, "minLength", "maxLength")
        return longest is None or shortest <= longest

    def text_of(self, case: Case, spelling: Spelling) -> str | None:
        """Return the rule for the characters of a string, or None if they may be any characters."""
        shortest, longest = self._bounds(case, "minLength", "maxLength")
        found: PatternRule | None = None
        for keyword in ("pattern", "format"):
            for where, value in case.limits.get(keyword, {}).items():
                pattern = str(value) if keyword == "pattern" else FORMATS.get(str(value), "(?!)")
                rule = pattern_rule(self._rules, pattern, spelling) if found is None else None
                found = found or rule
                if rule is None:
                    self._report(keyword, where)
        if found is None:
            is_free = not shortest and longest is None
            return None if is_free else f"{spelling.char}{counted(shortest, longest)}"
        if found.shortest < shortest:
            self._report_all(case, "minLength")
        if longest is not None and (found.longest is None or found.longest > longest):
            self._report_all(case, "maxLength")
        return found.text

    def of_kind(self, kind: str, case: Case) -> str | None:
        """Return the rule for the values of one type, or None if there are none."""
        match kind:
            case "object":
                return self._object(case)
            case "array":
                return self._array(case)
            case "string":
                if not self.has_texts(case):
                    return None
                self.report(case, kind, "minLength", "maxLength", "pattern", "format")
                text = self.text_of(case, JSON_SPELLING)
                return "string" if text is None else self._rules.add(f'"\\"" {text} "\\""')
            case "integer" | "number":
                return self._number(case, is_integer=kind == "integer")
            case _:
                self.report(case, kind)
                return kind

    def _of_cases(self, goal: Goal) -> str | None:
        found: dict[str, None] = {}
        for case in self._cases.of(goal):
            if case.values is not None:
                texts = (
                    literal(json.dumps(value, ensure_ascii=False)) for value in self.constants(case, goal)
                )
                found |= dict.fromkeys(texts)
                continue
            if not case.implied_kinds():
                self.report(case, "")
                return "value"
            for kinds in self.kinds(case):
                if texts := self.of_kinds(kinds, case):
                    found |= dict.fromkeys(texts)
                    break
        return self._rules.either(found) if found else None

    def kinds(self, case: Case) -> Iterator[frozenset[str]]:
        """Yield the types that a value should have, then the types that it may have if there are no such values."""
        implied = case.implied_kinds()
        if case.kinds is not None or self._cases.is_plain(case):
            yield implied
        if case.kinds is None:
            # Conditions on objects do not apply to a number, which fits a schema without `type`.
            yield frozenset(KINDS) - implied

    def of_kinds(self, kinds: frozenset[str], case: Case) -> list[str]:
        """Return the rules for the values of several types, as alternatives."""
        texts = (
            self.of_kind(kind, case)
            for kind in KINDS
            if kind in kinds and not (kind == "integer" and "number" in kinds)
        )
        return [text for text in texts if text is not None]

    def _checked(self, values: list[JsonValue], case: Case, goal: Goal) -> list[JsonValue]:
        """Return the values that fit all schemas of a goal."""
        # jsonschema is slow to import, and few lists of values need it.
        from workbench.toolspec.bounded_validator import bounded_validator

        try:
            with budget():
                whole = bounded_validator(cast(JsonObject, self._document), self._draft)
                checks = [whole.evolve(schema=self._cases.at(where)) for where in goal]
                return [value for value in values if all(check.is_valid(value) for check in checks)]
        except (BudgetExceeded, RecursionError):
            pass
        except Exception:  # noqa: BLE001  jsonschema raises many kinds on a bad schema
            pass
        self.report(case, "")
        return values

    def _object(self, case: Case) -> str | None:
        declared = {name: self.value(goal) for name, goal in self.members(case)}
        members = {name: text for name, text in declared.items() if text is not None}
        if any(name not in members for name in case.required):
            return None
        least, most = self._bounds(case, "minProperties", "maxProperties")
        others = case.others
        if others is None and not case.patterns and (not members or least > len(members)):
            others = ()
        pairs = self._pairs(case, declared, others)
        if not declared and not case.patterns and others == () and not case.limits:
            return "object"
        self.report(case, "object", "minProperties", "maxProperties", "propertyNames")
        if least > max(1, len(case.required)):
            self._report_all(case, "minProperties")
        if most is not None and (most < len(members) or pairs):
            self._report_all(case, "maxProperties")
        end: dict[bool, str | None] = {True: '"}"', False: '"}"' if not least else None}
        if pairs:
            pair = self._rules.either(pairs)
            more = f'{pair} ("," sp {pair})* "}}"'
            end = {
                True: f'("," sp {pair})* "}}"',
                False: more if least else f'({pair} ("," sp {pair})*)? "}}"',
            }
        inner = self._members(members, frozenset(case.required), end)
        return self._rules.add(f'"{{" {inner}') if inner else None

    def _pairs(self, case: Case, names: Collection[str], others: Goal | None) -> list[str]:
        """Return the rules for the keys that are not declared, with their values."""
        other = None if others is None else self.value(others)
        pairs: list[str] = []
        for pattern, goal in case.patterns:
            rule = pattern_rule(self._rules, pattern, JSON_SPELLING)
            is_apart = rule is not None and other is None and len(case.patterns) == 1
            if not is_apart or any(matches(pattern, name) for name in names):
                self._report("patternProperties", goal[0][:-2])
            key = self._free_key(case, names) if rule is None else f'"\\"" {rule.text} "\\""'
            if key and (value := self.value(goal)):
                pairs.append(self._rules.add(f'{key} ":" sp {value}'))
        if other is not None and (key := self._free_key(case, names)):
            pairs.append(self._rules.add(f'{key} ":" sp {other}'))
        for where in case.limits.get("propertyNames", {}):
            fitting = self._checked(list(names), case, ((*where, "propertyNames"),))
            if len(fitting) < len(names) or (pairs and (names or case.patterns)):
                self._report("propertyNames", where)
        return pairs

    def _free_key(self, case: Case, names: Collection[str]) -> str | None:
        """Return the rule for keys that are not declared, or None if there are none."""
        if sum(map(len, names)) > MAX_KEY_CHARS:
            self._report_all(case, "additionalProperties")
            return "string"
        if names:
            return add_key_without(self._rules, names)
        goal = tuple((*where, "propertyNames") for where in case.limits.get("propertyNames", {}))
        found: dict[str, None] = {}
        for key in self._cases.of(goal):
            if key.values is not None:
                strings = (value for value in self.constants(key, goal) if isinstance(value, str))
                found |= dict.fromkeys(literal(json.dumps(value, ensure_ascii=False)) for value in strings)
            elif key.kinds is None or "string" in key.kinds:
                found |= dict.fromkeys(self.of_kinds(frozenset({"string"}), key))
        return self._rules.either(found) if found else None

    def _members(
        self, members: Mapping[str, str], required: Collection[str], end: Mapping[bool, str | None]
    ) -> str | None:
        """Return the rule text for members in order, of which optional ones may be missing. None if there is none.

        Works from the last member to the first. `rest` holds the rule for everything after a member in two
        variants: True if some member was written before it, so that a comma is needed, and False if none was. This
        takes two rules per member. Writing out the combinations of n optional members would take 2**n.

        Args:
            end: The text after the last member, in the same two variants. None if an object cannot end there.
        """
        rest = dict(end)
        for name, value in reversed(tuple(members.items())):
            own = f'{literal(json.dumps(name, ensure_ascii=False))} ":" sp {value}'
            member = self._rules.add(f"{own} {rest[True]}")
            for has_member_before, comma in ((True, '"," sp '), (False, "")):
                is_last = name in required or rest[has_member_before] is None
                others = "" if is_last else f" | {rest[has_member_before]}"
                rest[has_member_before] = self._rules.add(f"{comma}{member}{others}")
        return rest[False]

    def _array(self, case: Case) -> str | None:
        self.report(case, "array", "minItems", "maxItems")
        least, most = self._bounds(case, "minItems", "maxItems")
        fixed: list[str] = []
        for goal in case.items[:most]:
            text = self.value(goal)
            if text is None:
                most = len(fixed)
                break
            fixed.append(text)
        item = None
        if len(fixed) != most and (case.rest is not None or not fixed):
            item = self.value(case.rest or ())
        if item is None:
            most = len(fixed)
        if most is not None and least > most:
            return None
        first = ' "," sp '.join(fixed)
        if item is None:
            return self._rules.add(f'"[" {first} "]"')
        if fixed:
            more = counted(max(0, least - len(fixed)), None if most is None else most - len(fixed))
            return self._rules.add(f'"[" {first} ("," sp {item}){more} "]"')
        more = f'{item} ("," sp {item}){counted(max(0, least - 1), None if most is None else most - 1)}'
        return self._rules.add(f'"[" {more} "]"' if least else f'"[" ({more})? "]"')

    def _number(self, case: Case, *, is_integer: bool) -> str | None:
        limits = self._range(case)
        self.report(case, "number", *_RANGE, "multipleOf")
        steps = [step for step in case.limits.get("multipleOf", {}).values() if step != 1 or not is_integer]
        if not is_integer:
            if steps:
                self._report_all(case, "multipleOf")
            if limits == Range():
                return "number"
            return self._rules.either(found) if (found := decimals(limits)) else None
        least, most = integer_bounds(limits)
        if least is not None and most is not None and steps and most - least < MAX_LISTED:
            fitting = [
                literal(str(number)) for number in range(least, most + 1) if _is_multiple(number, steps)
            ]
            return self._rules.either(fitting) if fitting else None
        if steps:
            self._report_all(case, "multipleOf")
        if least in (None, 0) and most is None:
            return "integer" if least is None else "natural"
        return self._rules.either(found) if (found := integers(least, most)) else None

    def _range(self, case: Case) -> Range:
        """Return the limits of a number. A limit that is too long is reported and left out."""
        limits = Range()
        for keyword in _RANGE:
            for where, value in case.limits.get(keyword, {}).items():
                number = decimal_of(value)
                if number is None:
                    self._report(keyword, where)
                elif "Min" in keyword or keyword == "minimum":
                    limits = limits.above(number, is_exclusive=keyword.startswith("exclusive"))
                else:
                    limits = limits.below(number, is_exclusive=keyword.startswith("exclusive"))
        return limits

    def _bounds(self, case: Case, low: str, high: str) -> tuple[int, int | None]:
        """Return the minimum and the maximum, or None for no maximum. Limits that are too large are reported."""
        found: dict[str, int] = {}
        for keyword, choose in ((low, max), (high, min)):
            for where, value in case.limits.get(keyword, {}).items():
                if isinstance(value, int | float) and value == int(value) and 0 <= value <= MAX_REPETITIONS:
                    found[keyword] = choose(found.get(keyword, int(value)), int(value))
                else:
                    self._report(keyword, where)
        return found.get(low, 0), found.get(high)

    def _report_all(self, case: Case, keyword: str) -> None:
        for where in case.limits.get(keyword, ()):
            self._report(keyword, where)

    def _report(self, keyword: str, where: Where) -> None:
        place = pointer([*self._root, *where, keyword])
        message = f"a grammar cannot enforce {keyword[:30]!r}; it is checked after the call"
        self._found.setdefault(
            place, Finding(code="grammar-keyword", message=message, severity=Severity.NOTE, pointer=place)
        )


_RANGE: Final = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")


def _is_multiple(number: int, steps: Iterable[JsonValue]) -> bool:
    found = [decimal_of(step) for step in steps]
    return all(step is not None and step != 0 and number % step == 0 for step in found)
