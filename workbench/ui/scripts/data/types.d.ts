// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** A row that is different in the two sets. */
interface ChangedRow {
  title: string;
  /** Where, `added`, `removed` or `changed`, and both values, shortened to where they differ. */
  changes: ([string, string, string, string])[];
  /** Number of further changes that are not shown. */
  more: number;
}

/** How often calls use each value that a parameter may have. */
interface EnumLine {
  /** Tool and parameter. */
  name: string;
  /** Number of values that are used. */
  used: number;
  /** Value, number of calls, and the rows with such a call. */
  values: ([string, number, [string, string]])[];
  /** Number of further values that are not shown. */
  more: number;
}

/** One finding about a session or a row. */
interface FindingLine {
  /** `skipped`, `not ready`, `error`, `warning`, `lost`, `not imported` or `duplicate`. Shown next to the colour. */
  word: string;
  /** `error`, `fix` or `quiet`. */
  tone: string;
  /** The code of the finding. Empty if it has none. */
  code: string;
  /** What is wrong, where, and what to do. */
  text: string;
  /** The title of the session, or file and row number. */
  place: string;
  /** Address of the message on this page. Empty if there is none. */
  link: string;
  /** JSON pointer into the row. Empty if there is none. */
  pointer: string;
}

/** A list of findings. */
interface FindingsView {
  /** Up to `MOST_FINDINGS` findings. */
  lines: FindingLine[];
  /** Number of further findings that are not shown. */
  more: number;
  /** Heading of the list. Empty draws nothing. */
  heading: string;
  hint: string;
  /** The name in `EMPTY_PLACES` of what is shown instead. */
  empty: string;
}

/** The rows of a data set that meet conditions, one page of them. */
interface FoundRowsView {
  /** Whether a data set is open. */
  is_open: boolean;
  /** Number of rows that meet the conditions. */
  total: number;
  /** Index of the first shown row among them. */
  first: number;
  rows: RowCard[];
  conditions: [string, string][];
  /** What the rows contain. Empty if nothing was searched for. */
  text: string;
  /** Seed of the random order. None for the order of the file. */
  seed: number | null;
  /** A new number for every answer of the server. */
  serial: number;
}

/** The progress of a job, or how it ended. */
interface JobView {
  /** What the job does. Empty hides the pane. */
  label: string;
  /** From 0 to 1. */
  share: number;
  note: string;
  /** True while the job can be stopped. */
  is_running: boolean;
}

/** A part of the text of a row. */
interface MaskPiece {
  text: string;
  /** Whether the text counts towards the loss. */
  is_trained: boolean;
}

/** A chart whose bars open rows. */
interface PictureChart {
  chart: Chart;
  note: string;
  /** The rows of each bar. */
  conditions: [string, string][];
}

/** A data set as a picture. */
interface PictureView {
  name: string;
  /** Number of rows, and which formats they have. */
  note: string;
  /** Figures, a sentence each. */
  facts: string[];
  /** The rows that are longer than the maximum, and how many they are. */
  cut: [string, string];
  cut_rows: number;
  charts: PictureChart[];
  enums: EnumLine[];
  /** Number of further parameters that are not shown. */
  more_enums: number;
  /** Findings about the whole set. */
  findings: FindingLine[];
  /** Conditions that can be added to the filter. */
  options: [string, string][];
  /** A new number for every data set that is opened. */
  serial: number;
}

/** One training row. */
interface RowCard {
  title: string;
  /** The split of the row, and how many messages were fixed or corrected. */
  note: string;
  /** Address of the session on this page. */
  link: string;
  /** The row as JSON, indented. Cut to `MOST_CHARS` characters. */
  json_text: string;
  /** Number of characters of the JSON that are not shown. */
  more_chars: number;
  /** The conversation as ChatML, in trained and untrained parts. Empty if it cannot be written as ChatML. */
  mask: MaskPiece[];
  /** Findings about the row, shown with it. Empty if they are listed elsewhere. */
  findings: FindingLine[];
}

/** A preview of training rows. */
interface RowsView {
  rows: RowCard[];
  hint: string;
  /** Heading of the rows. Empty if there is none. */
  heading: string;
  /** What is stored. */
  charts: Chart[];
  /** The name in `EMPTY_PLACES` of what is shown in place of rows. */
  empty: string;
}

/** The difference of two data sets. */
interface SetDiffView {
  title: string;
  /** How many rows are unchanged, changed, removed and added. */
  note: string;
  changed: ChangedRow[];
  removed: RowCard[];
  added: RowCard[];
  /** Number of further changed, removed and added rows. */
  more: [number, number, number];
  /** Figures that are different: the figure, both numbers, and the difference. */
  moved: ([string, string, string, string])[];
}

type JobBarEvents = "stop_job";

type RowFinderEvents = "find_rows";

type RowPictureEvents = "find_rows";

type RowPreviewEvents = "open_filter";
