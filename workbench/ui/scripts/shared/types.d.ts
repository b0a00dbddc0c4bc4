// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** One argument of a call. */
interface Argument {
  name: string;
  /** The value as JSON. */
  value: string;
}

/** The position of a message among its siblings, the messages with the same parent. */
interface BranchView {
  /** Position of the message, from 1. */
  place: number;
  /** Number of siblings, itself included. At least 2. */
  count: number;
  /** The previous sibling, or None for the first. */
  before: string | null;
  /** The next sibling, or None for the last. */
  after: string | null;
}

/** A call that could not be parsed, or that was cut off. */
interface BrokenCall {
  text: string;
  /** `dropped` or `unfinished`. */
  status: string;
  notes: string[];
  tone: string;
  kind: string;
}

/** A call that the reader could parse. */
interface CallCard {
  /** Index into the calls of the reading. */
  index: number;
  name: string;
  status: string;
  tone: string;
  /** In the order in which the model wrote them. */
  arguments: Argument[];
  notes: string[];
  /** None if the call was not run. */
  result: ResultRow | null;
  kind: string;
}

/** One value that a call or a person changed. */
interface ChangeRow {
  /** `added`, `changed` or `removed`. */
  kind: string;
  place: string;
  /** As JSON. Empty if it was added. */
  before: string;
  /** As JSON. Empty if it was removed. */
  after: string;
}

/** A chart with a title. */
interface Chart {
  kind: "rates" | "points" | "courses" | "counts";
  title: string;
  marks: ChartMark[];
  /** Names of the series, in the order of the legend. Empty without series. */
  series: string[];
  x_label: string;
}

/** One mark of a chart. Rates are from 0 to 1. */
interface ChartMark {
  /** The rate, or the number of a bar. */
  y: number;
  /** Everything that the mark shows, as text. */
  label: string;
  category: string;
  series: string;
  x: number;
  /** Lower end of the 95 % confidence interval. */
  low: number;
  /** Upper end of the interval. */
  high: number;
  is_full: boolean;
}

/** A text to copy to the clipboard. */
interface ClipboardView {
  /** The text, byte for byte. */
  text: string;
  /** A new number copies the text again. */
  serial: number;
}

/** A line of a unified diff. */
interface DiffLine {
  /** `add`, `drop`, `place` (a line range) or `same`. */
  kind: string;
  text: string;
}

/** The diff of two texts. */
interface DiffView {
  title: string;
  /** Empty if the texts are the same. */
  lines: DiffLine[];
}

/** A part of a word diff. */
interface DiffWord {
  /** The text, byte for byte. */
  text: string;
  /** `same` for text in both, `add` for text only in the new one, `drop` for text only in the old one. */
  kind: string;
}

/** A file for the browser to download. */
interface DownloadView {
  name: string;
  text: string;
  /** A new number downloads the file again, even if it is the same. */
  serial: number;
  media_type: string;
}

/** The button. The components are hidden until it is pressed. */
interface FoldView {
  /** The text of the button, which names the components. */
  label: string;
  /** Id of the element with the components. */
  content: string;
  /** Whether the browser remembers that it is open. */
  is_kept: boolean;
  /** Whether it is open at once. */
  is_open: boolean;
}

/** A system text or another long text, collapsed at first. */
interface FoldedBlock {
  /** The first line and the size of the text. */
  summary: string;
  text: string;
  kind: string;
}

/** The form field of one parameter. */
interface FormField {
  name: string;
  /** `text` (what is typed is the value), `choice` (one of `choices`), or `json` (what is typed is JSON). */
  kind: string;
  /** The allowed types, as shown next to the field. */
  type: string;
  /** Whether the parameter is required. */
  is_required: boolean;
  /** The description. Empty if the schema has none. */
  description: string;
  /** The possible values of an enumeration or a boolean, each as JSON. */
  choices: string[];
}

/** A heading. */
interface HeadingView {
  text: string;
  /** The tooltip; empty for none. */
  meaning: string;
  /** The page of the documentation about the section, below `help/`, with its anchor. */
  about: string;
}

/** A tool result without a known call. */
interface LooseResult {
  result: ResultRow;
  kind: string;
}

/** A model that can be chosen. */
interface NamedModel {
  /** As `--model` accepts it. */
  name: string;
  title: string;
  /** What it is, in a few words. Empty if the title says it. */
  note: string;
  /** How it can be asked, the default first. Empty if there is no choice. */
  modes: string[];
}

/** One line of a notice. */
interface NoticeLine {
  /** The kind of the line, shown next to the colour, such as `error` or `note`. */
  word: string;
  /** What is wrong, where, and what to do. */
  text: string;
  /** Code of the finding, which is shown before the text and links to its paragraph. Empty if there is none. */
  code: string;
  /** `error`, `warning` or `quiet`. */
  tone: string;
  /** Address of the place that the line is about, for a link. Empty if there is none. */
  link: string;
  link_text: string;
  /** A toolset to add. Empty if there is none. */
  toolset: string;
  /** The label of a button that imports the tools in the text. Empty if there is none. */
  offer: string;
  /** The line of the editor that it marks, from 1. 0 for none. */
  line: number;
}

/** The lines of one notice. */
interface NoticeView {
  /** Empty draws nothing. */
  lines: NoticeLine[];
  /** Element id of the code editor whose lines are marked. Empty if there is none. */
  editor: string;
}

/** Text that the user or the model wrote for people. */
interface ProseBlock {
  /** The text, without blank lines at its start and end. */
  text: string;
  kind: string;
}

/** The result of a tool call. */
interface ResultRow {
  id: string;
  text: string;
  /** True if the tool failed or the call was refused. */
  is_error: boolean;
  note: string;
  /** What the call changed in the world. */
  changes: ChangeRow[];
}

/** A table with a title. */
interface TableView {
  title: string;
  /** Shown below the title. Empty if there is none. */
  note: string;
  head: string[];
  rows: (string[])[];
}

/** A part of a text, of one kind. */
interface TextSpan {
  /** The text, byte for byte. */
  text: string;
  /** `text`, `mark`, `call`, `result`, `thought`, `error` or `found`. Selects a colour of `page.css`. */
  kind: string;
  /** True if the span is part of the call that is selected in another pane. */
  is_picked: boolean;
}

/** A thought of the model, collapsed at first. */
interface ThoughtBlock {
  text: string;
  note: string;
  kind: string;
}

/** Text after the end of the turn. */
interface TrailingBlock {
  label: string;
  text: string;
  kind: string;
}

/** One message of the transcript, with the results of its calls. */
interface TranscriptEntry {
  id: string;
  /** `system`, `user`, `model` or `tool`. */
  role: string;
  blocks: (ProseBlock | ThoughtBlock | CallCard | BrokenCall | TrailingBlock | LooseResult | FoldedBlock)[];
  /** How the completion ended, if not normally. For the system text: its ephemeral part. */
  note: string;
  /** None if the message has no siblings. */
  branch: BranchView | null;
}

type NoticeEvents = "add_toolset" | "import_tools";
