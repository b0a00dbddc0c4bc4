"""What each place of the page is for, with an example, shown while there is nothing in it.

Contracts, Tools and Models always have something: what is shipped.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyPlace:
    """What an empty place shows."""

    heading: str
    text: str
    """What the place is for."""
    example: str
    """What the button opens."""
    button: str


EMPTY_PLACES: Final[Mapping[str, EmptyPlace]] = {
    "compare": EmptyPlace(
        heading="Compare answers side by side",
        text="Ask the same question with other contracts, models or sampling. You see where calls, answers, tokens "
        "and time differ, and vote for the better answer, which becomes a preference pair.",
        example="Is it warmer in Rome or in Oslo?",
        button="Compare an example",
    ),
    "suites": EmptyPlace(
        heading="Measure contracts with suites",
        text="A suite is a list of cases, each with its expectations. Select suites and the contracts to compare, and "
        "run them. The report shows the pass rates, how certain they are, and how many tokens a prompt takes.",
        example="The suite everyday asks ten questions over three toolsets.",
        button="Open the suite everyday",
    ),
    "inspect": EmptyPlace(
        heading="Paste a completion to see how it is parsed",
        text="You see its calls, each fix, and what other parsers would read. No model is needed.",
        example="A call with Python's quotes and a trailing comma, which most parsers lose.",
        button="Read an example answer",
    ),
    "label": EmptyPlace(
        heading="Label conversations",
        text="Your conversations from Play appear here. Give each call and each answer a verdict, correct what is "
        "wrong, and export the result as training rows.",
        example="The demo dataset has 12 sessions with typical faults.",
        button="Load the demo dataset",
    ),
    "explore": EmptyPlace(
        heading="Look at a data set before you train on it",
        text="Choose a file of rows, or sessions that are stored here, to see their tools, lengths and problems. "
        "Click a bar to see its rows.",
        example="The demo dataset has 12 sessions with typical faults.",
        button="Load the demo dataset",
    ),
    "data": EmptyPlace(
        heading="Turn conversations into training rows",
        text="Select sessions on the left, or keep all of them. You see every problem with a link to its message, and "
        "the first rows as they will be written.",
        example="Without a filter, all of your sessions are checked, and no file is written.",
        button="Check all sessions",
    ),
    "import": EmptyPlace(
        heading="Rows become sessions",
        text="Each row of a file becomes a session to read in Play, label, fix and export again. Rows that were "
        "imported before are left out, and rows that cannot be read are listed with the reason.",
        example='{"conversations": [{"from": "human", "value": "How warm is it in Rome?"}, '
        '{"from": "gpt", "value": "21 degrees Celsius."}]}',
        button="Use this row as a file",
    ),
}
"""By the name that the place has in addresses."""
