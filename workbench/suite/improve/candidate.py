"""A candidate of a search: a contract and changed descriptions of tools, and what makes it unusable."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.contract.contract import Contract, find_placeholders
from workbench.contract.lint import lint_contract
from workbench.suite.variants import TOOLS_PLACE, parts_of
from workbench.toolspec.spec import OfferedTools, ToolSpec, canonical_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What a search varies: paragraphs, their order, examples, and descriptions of tools."""

    contract: Contract
    descriptions: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Changed descriptions by `tool` or `tool.parameter`. An empty text removes the description."""

    @property
    def fingerprint(self) -> str:
        """Six hex digits that are equal for equal candidates of one search."""
        content = canonical_json([self.contract.text, dict(self.descriptions)])
        return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:6]

    def with_text(self, text: str) -> "Candidate":
        """Return the candidate with another contract text."""
        return replace(self, contract=replace(self.contract, text=text))


def frozen_paragraph(contract: Contract) -> str:
    """Return the paragraph with the tools, which no candidate may change; empty if there is none."""
    return next((part.text for part in parts_of(contract) if TOOLS_PLACE in part.text), "")


def problem_of(candidate: Candidate, start: Contract, tools: OfferedTools) -> str:
    """Return why a candidate cannot be used in place of `start`; empty if it can.

    A candidate must keep the paragraph with the tools, use the same variables, and have no warning of the linter that
    the start does not have.
    """
    contract = candidate.contract
    if not contract.text.strip():
        return "the contract is empty"
    if frozen_paragraph(start) not in contract.text:
        return "the paragraph with the tools was changed"
    before, after = _variables(start), _variables(contract)
    if before != after:
        names = ", ".join(sorted(str(name) for name in before ^ after))
        return f"the contract must use the same variables; these differ: {names}"
    known = {finding.code for finding in lint_contract(start, tools)}
    for finding in lint_contract(contract, tools):
        if finding.severity is not Severity.NOTE and finding.code not in known:
            return f"{finding.code}: {finding.message}"
    return ""


def _variables(contract: Contract) -> set[str | None]:
    return {place.name for place in find_placeholders(contract.text) if not place.is_literal}


def described(tools: OfferedTools, descriptions: Mapping[str, str]) -> OfferedTools:
    """Return the tools with changed descriptions. Names, types and everything else stay as they are."""
    if not descriptions:
        return tools
    return replace(tools, specs=tuple(_described(spec, descriptions) for spec in tools.specs))


def _described(spec: ToolSpec, descriptions: Mapping[str, str]) -> ToolSpec:
    function = _with_description(spec.function, descriptions.get(spec.name))
    properties = as_object(spec.parameters.get("properties"))
    changed = {
        name: _with_description(as_object(schema), descriptions.get(f"{spec.name}.{name}"))
        for name, schema in properties.items()
    }
    if changed:
        function = {**function, "parameters": {**spec.parameters, "properties": changed}}
    return ToolSpec(document={**spec.document, "function": function})


def _with_description(schema: JsonObject, text: str | None) -> JsonObject:
    if text is None:
        return schema
    rest: dict[str, JsonValue] = {key: value for key, value in schema.items() if key != "description"}
    return {**schema, "description": text} if text else rest
