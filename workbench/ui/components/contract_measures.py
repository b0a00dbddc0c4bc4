"""What was measured of a contract: score cards, rates over time, what each part is worth."""

from workbench.ui.components.drawn import Drawn


class ContractMeasures(Drawn):
    """What was measured of a contract: score cards, rates over time, what each part is worth."""

    shared = ("plot.js", "tables.js")
    script = "contract_measures.js"
