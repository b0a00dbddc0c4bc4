// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** One tool call of a completion. */
interface CallRow {
  /** Index into the calls of the reading. */
  index: number;
  name: string;
  status: string;
  tone: string;
  /** The arguments as indented JSON. */
  arguments: string;
  findings: FindingRow[];
  /** The result as the model sees it, or None if the call was not run. */
  result: string | null;
  /** Shown instead of a result. Empty if calls are never run. */
  no_result: string;
  /** True if the tool failed or the call was refused. */
  is_error: boolean;
  note: string;
  /** True if this call is selected in the transcript. */
  is_selected: boolean;
}

/** A call that a parser loses, or that it runs although the model did not make it. */
interface CallWord {
  /** `loses` or `runs`. */
  word: string;
  name: string;
  /** JSON on one line, cut if it is long. */
  arguments: string;
}

/** The tool calls of one completion. */
interface CallsView {
  calls: CallRow[];
  /** Shown if there are no calls. */
  hint: string;
  /** The message whose calls can be selected. Empty if they cannot. */
  message_id: string;
}

/** One possible start of the answer. */
interface DecisionBarRow {
  /** The name of the tool, `any call`, `no call` or `another name`. */
  label: string;
  /** The probability, from 0 to 1. */
  share: number;
  value: string;
  /** True for the actual start of the answer. */
  is_chosen: boolean;
  /** False for `any call`, `no call` and `another name`. */
  is_tool: boolean;
  /** The probability from which this start is chosen. 0 without one. */
  threshold: number;
}

/** The contents of the Decision pane. */
interface DecisionView {
  /** Shown if there is nothing else to show. */
  hint: string;
  /** The completion whose probabilities can be computed. Empty if there is none. */
  message_id: string;
  note: string;
  /** All calls together if a call threshold applies, tools by falling probability, then the other starts. Empty until the probabilities are computed. */
  bars: DecisionBarRow[];
  /** The tokens of the completion. Empty if they are unknown. */
  heat: HeatToken[];
  /** The tool of the call that is selected in another pane. Empty if none is. */
  picked: string;
}

/** One text replacement of a fix. */
interface EditRow {
  /** The text that the model wrote. Text of only whitespace is made visible. */
  before: string;
  /** The text that is read instead, or `nothing` if the text is dropped. */
  after: string;
  /** How often the fix makes the same edit. Empty for one time. */
  times: string;
}

/** An example as it is listed in the empty state. */
interface ExampleWord {
  title: string;
  lesson: string;
}

/** The empty state of the Inspect tab. */
interface ExamplesView {
  examples: ExampleWord[];
}

/** One finding of a completion. */
interface FindingRow {
  code: string;
  /** `error` or `warning`. */
  severity: string;
  message: string;
  /** Position in the completion, or JSON pointer into the arguments. Empty if unknown. */
  place: string;
}

/** One fix of a completion. */
interface FixRow {
  code: string;
  meaning: string;
  /** True if the text could also have meant something else. */
  is_guess: boolean;
  place: string;
  edits: EditRow[];
  /** True if the fix belongs to the call that is selected in another pane. */
  is_picked: boolean;
}

/** The fixes and findings of a completion. */
interface FixesView {
  /** Shown if there is no completion. Empty otherwise. */
  hint: string;
  calm: string;
  /** In the order of their position. */
  fixes: FixRow[];
  /** Calls in the format of other model families, in the order of their position. */
  foreign: ForeignRow[];
  /** In the order of their position. */
  findings: FindingRow[];
}

/** A call in the format of another model family. */
interface ForeignRow {
  /** Its name in `docs/reference/dialects.md`. */
  dialect: string;
  /** What it looks like, and whether it was read. */
  sentence: string;
  place: string;
  /** Server flags that read this format. Empty if none is known. */
  parsers: string;
  /** What to change so that the model writes `<tool_call>` blocks. */
  contract: string;
}

/** One token of the completion. */
interface HeatToken {
  /** The text that the token added, with its whitespace. */
  text: string;
  /** From 0 (nearly certain) to 4 (very unlikely). -1 if the probability is unknown. */
  warmth: number;
  /** Token id, probability and logprob. */
  title: string;
}

/** A prompt that this one can be compared with. */
interface OtherPrompt {
  key: string;
  /** Shown in the list of prompts. */
  label: string;
}

/** The table of parsers. */
interface ParserComparisonView {
  /** In the order of `ParserRule`. Empty if there is no text. */
  rows: ParserRow[];
  columns: string[];
  note: string;
  /** The completion whose rows the pane loads on demand. Empty if it does not, or if there is none. */
  message_id: string;
  /** False if the rows have not been loaded. A pane with a message loads them once it is visible. */
  is_known: boolean;
  hint: string;
}

/** The result of one parser. */
interface ParserRow {
  rule: string;
  /** `replica`, with the release if there is one. Empty for our own strict reader. */
  origin: string;
  /** Number of calls that it finds, and of extra calls that it runs. `none` if there are no calls. */
  got: string;
  /** `clean` if it finds exactly the calls of the tolerant reader, otherwise `error`. */
  tone: string;
  /** The lost calls, then the extra calls. */
  calls: CallWord[];
  /** The reasons, or `no difference`. */
  why: string;
}

/** One message of the prompt, or the completion. */
interface RawSection {
  /** The role of the message, which selects its colour, or `completion`. */
  role: string;
  label: string;
  /** The size of the section. */
  note: string;
  /** Joined, the pieces are the text of the section. */
  pieces: TextSpan[];
}

/** The contents of the raw pane. */
interface RawView {
  /** The messages of the prompt, then the completion. Empty if nothing was sent. */
  sections: RawSection[];
  /** `exact` or `predicted`. */
  badge: string;
  badge_meaning: string;
  summary: string;
  /** Shown if there is nothing to show. */
  hint: string;
  /** The message with the completion. Empty if there is none. */
  message_id: string;
  /** True once the pane has asked for the number of tokens of each section. */
  is_known: boolean;
  others: OtherPrompt[];
}

/** A piece of text of one colour. */
interface ReadPiece {
  /** The text, byte for byte. */
  text: string;
  /** The kind, as in `TextSpan`. */
  kind: string;
  change: "" | "before" | "after";
  /** Code of the fix that adds or removes the piece. Empty if no fix does. */
  code: string;
  /** True if the text could also have meant something else. */
  is_guess: boolean;
}

/** One segment of the completion. */
interface ReadSection {
  /** The kind, which selects the colour. `text` for prose. */
  kind: string;
  /** Label in the margin. Empty for whitespace between two segments. */
  label: string;
  pieces: ReadPiece[];
}

/** The parsed text, which can be shown in three ways. */
interface ReadTextView {
  /** The segments. Empty if there is no text. */
  sections: ReadSection[];
  /** Number of calls, fixes and findings. */
  summary: string;
  /** False if the fixed text equals the text as written. */
  has_fixes: boolean;
  /** Shown if there is no text. */
  empty: ExamplesView;
}

/** A row of the table. */
interface TimedRound {
  cells: string[];
  /** True for the round that the other panes show. */
  is_selected: boolean;
}

/** A line below the table. */
interface TimingFact {
  name: string;
  /** The value as text. */
  value: string;
}

/** The times and tokens of the rounds of one turn. */
interface TimingView {
  rounds: TimedRound[];
  columns: string[];
  facts: TimingFact[];
  /** Shown if there are no rounds. */
  hint: string;
}

/** One token. */
interface TokenCell {
  /** The token id in the vocabulary, or -1 if it is unknown. */
  id: number;
  /** The text of the token. Empty if the token ends within a character. */
  text: string;
  /** Logprob and probability. Empty if they are unknown. */
  note: string;
}

/** One message of the prompt, or the completion. */
interface TokenSection {
  /** The same label as in the raw pane. */
  label: string;
  role: string;
  token_count: number;
  /** The first tokens, `MOST_TOKENS` at most. */
  cells: TokenCell[];
  /** True for the completion. The sections of the prompt are collapsed at first. */
  is_open: boolean;
}

/** The contents of the Tokens pane. */
interface TokensView {
  /** The completion with these tokens. Empty if there is none. */
  message_id: string;
  /** False if the tokens have not been loaded. The pane loads them once it is visible. */
  is_known: boolean;
  /** Shown if there are no tokens to show. */
  hint: string;
  sections: TokenSection[];
  /** How full the context is, as text. */
  gauge: string;
  /** Size of the context in tokens, or 0 if it is unknown. */
  context_tokens: number;
  /** Which vocabulary the tokens are from, and whether they are exact. */
  note: string;
  /** True if the logprobs of the completion are unknown and can be computed. */
  can_compute_logprobs: boolean;
}

/** One text, number, boolean, null or empty value of the world. */
interface WorldRow {
  place: string;
  /** As JSON. */
  value: string;
}

/** The world after a message. */
interface WorldView {
  /** The message whose world the pane loads on demand. Empty if there is none. */
  message_id: string;
  /** False if the world has not been loaded. A pane with a message loads it once it is visible. */
  is_known: boolean;
  /** Shown if there is no world. */
  hint: string;
  /** The message that an edit copies to a new branch. */
  last_id: string;
  /** What the message and its calls changed. */
  changes: ChangeRow[];
  rows: WorldRow[];
  /** How many values are not listed. Empty if all are. */
  note: string;
  /** The whole world as indented JSON, for editing. */
  text: string;
  can_edit: boolean;
}

type CallsEvents = "pick";

type DecisionEvents = "weigh";

type DifferEvents = "ask_differ";

type RawEvents = "ask_raw" | "compare_prompt";

type ReadTextEvents = "example" | "open_kind";

type TokensEvents = "ask_tokens" | "weigh";

type WorldEvents = "ask_world" | "edit_world";
