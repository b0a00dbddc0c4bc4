"""Find names of tools and arguments in a case that the tools offered by it do not have."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from workbench.chat.near_names import did_you_mean, nearest_name
from workbench.suite.case import Case
from workbench.suite.expectation import CallPattern, Expectation
from workbench.toolspec.check import undeclared_argument
from workbench.toolspec.spec import OfferedTools

TOOL_CHOICES: Final = ("auto", "none", "required")
"""The tool choices that are not the name of a tool."""


class UnknownName(NamedTuple):
    """A name that is probably a mistake."""

    key: str
    """The key of the case that has the name."""
    problem: str
    remedy: str


def unknown_names(case: Case, offered: OfferedTools) -> Iterator[UnknownName]:
    """Yield the names in expectations, mock rules and the tool choice that the offered tools do not have.

    Nothing is yielded if the case offers no tools, because its expectations are then about the text of the answer, or
    the tools are not known. Mock rules may be for tools that other cases of the suite offer, so only names that are
    almost those of an offered tool are yielded. The same goes for what must not be called.

    Args:
        offered: The tools of the case.
    """
    if not offered.specs:
        return
    if case.tool_choice and case.tool_choice not in TOOL_CHOICES:
        yield from _unknown("tool_choice", case.tool_choice, (*TOOL_CHOICES, *offered.names), offered)
    for name in case.mocks:
        yield from _misspelled("mocks", name, offered)
    for expectation in case.expectations:
        yield from _in_expectation(expectation, offered, is_negated=False)


def _in_expectation(
    expectation: Expectation, offered: OfferedTools, *, is_negated: bool
) -> Iterator[UnknownName]:
    policy = expectation.policy
    about = (policy.call, policy.needs.call if policy.needs else None) if policy else ()
    patterns = (
        *(expectation.calls or ()),
        *(expectation.forbidden_calls or ()),
        *(pattern for pattern in about if pattern),
    )
    names = [pattern.name for pattern in patterns if isinstance(pattern.name, str)]
    for name in dict.fromkeys((*names, *(expectation.tool_sequence or ()))):
        if is_negated:
            yield from _misspelled("expect", name, offered)
        else:
            yield from _unknown("expect", name, offered.names, offered)
    for pattern in patterns:
        yield from _arguments(pattern, offered)
    for inner in expectation.inner():
        yield from _in_expectation(inner, offered, is_negated=is_negated or expectation.not_ is not None)


def _unknown(key: str, name: str, known: Sequence[str], offered: OfferedTools) -> Iterator[UnknownName]:
    if name not in known:
        otherwise = f"offered tools: {', '.join(offered.names)}"
        yield UnknownName(
            key,
            f"the case does not offer a tool {name[:60]!r}",
            did_you_mean(name, known, otherwise=otherwise),
        )


def _misspelled(key: str, name: str, offered: OfferedTools) -> Iterator[UnknownName]:
    if name not in offered.names and nearest_name(name, offered.names, cutoff=0.85):
        yield from _unknown(key, name, offered.names, offered)


def _arguments(pattern: CallPattern, offered: OfferedTools) -> Iterator[UnknownName]:
    """Yield the expected arguments that the schema of the tool does not declare."""
    spec = offered.by_name.get(pattern.name) if isinstance(pattern.name, str) else None
    if spec is None:
        return
    groups = (pattern.arguments, pattern.has_arguments, pattern.optional)
    for name in dict.fromkeys(name for group in groups for name in group or ()):
        if hint := undeclared_argument(spec.schema, name):
            yield UnknownName("expect", f"the tool {spec.name!r} has no argument {name[:60]!r}", hint)
