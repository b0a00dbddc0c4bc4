"""All contracts; one that is picked is opened with what was typed in it and not saved."""

from workbench.ui.components.drawn import Drawn


class ContractList(Drawn):
    """`open_contract` comes with the draft that this browser kept; `new_contract` with a name."""

    script = "contract_list.js"
