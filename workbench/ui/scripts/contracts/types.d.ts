// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** A chart of a rate over time, by version and model, newest version first. */
interface ChartView {
  note: string;
  chart: Chart;
}

/** All measurements of a contract. */
interface MeasuresView {
  /** One row per version, suite and model, or None if nothing was run. */
  cards: TableView | null;
  /** Pass rate, fix rate and drop rate. Charts without data are left out. */
  charts: ChartView[];
  /** The version and run that measured the parts. Empty if there was none. */
  parts_note: string;
  /** The paragraphs of the contract. */
  parts: PartView[];
}

/** A paragraph of a contract and its effect on the results. */
interface PartView {
  pieces: TextSpan[];
  /** `helps`, `hurts`, `mixed` or `no effect`; `may help` or `may hurt` if the effect is not significant. Empty if the paragraph was not measured. */
  verdict: string;
  /** What changes without the paragraph. */
  detail: string;
  /** `clean`, `quiet`, `odd` or `bad`. */
  tone: string;
}

/** The system text as a model would get it, with its size. */
interface PreviewView {
  /** Number of characters and, if known, of tokens. */
  size: string;
  /** The text, with tags and special tokens as pieces of their own. */
  pieces: TextSpan[];
  /** True if the text cannot be composed. The page then keeps the last preview and says so in `size`. */
  is_stale: boolean;
}

/** The field of one variable. Its value is in the text of the variables, which the browser has. */
interface VariableField {
  name: string;
  /** The contract's value, shown as the placeholder. It is taken where no value is set. */
  default: string;
  /** What is wrong with the variable. Empty if nothing is. */
  problem: string;
  /** False for a variable that the contract does not declare. It can only be removed. */
  is_declared: boolean;
}

/** The variables of a contract, and those that were set although the contract does not declare them. */
interface VariablesView {
  fields: VariableField[];
}
