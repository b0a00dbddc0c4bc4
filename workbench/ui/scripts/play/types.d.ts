// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** One branch of the session. */
interface BranchRow {
  /** The first message of the branch. Opening it shows its newest leaf. */
  message_id: string;
  /** Indentation level, from 0. */
  depth: number;
  /** `system`, `user`, `model` or `tool`. */
  role: string;
  /** The calls of the first message, or its text. */
  label: string;
  /** The number of messages, and how many siblings make the same calls. */
  note: string;
  /** True if the shown path contains this branch. */
  is_open: boolean;
}

/** The line above the transcript and the tree of branches that it opens. */
interface BranchesView {
  /** The last shown message. Empty if there are no messages. */
  message_id: string;
  /** Number of branches and of deleted messages. Empty if the line is hidden. */
  summary: string;
  /** False if the rows have not been loaded. Opening the tree loads them. */
  is_known: boolean;
  /** How many answers agree. Empty if there are no alternative answers. */
  agreement: string;
  /** From top to bottom. */
  rows: BranchRow[];
  /** Deleted messages that can be restored, the last deleted first. */
  deleted: DeletedRow[];
}

/** The form that saves the conversation as a case. */
interface CaseView {
  /** Names of the user's suites. */
  suites: string[];
  /** The suite to begin with. */
  suite: string;
  kind: string;
}

/** The code in one language. */
interface CodeTab {
  /** Name of the language or program. */
  name: string;
  text: string;
}

/** A round as code that repeats its request. */
interface CodeView {
  title: string;
  tabs: CodeTab[];
  note: string;
  kind: string;
}

/** A deleted message, together with the messages after it. */
interface DeletedRow {
  message_id: string;
  label: string;
}

/** A message that was just deleted. */
interface DeletedView {
  message_id: string;
  title: string;
  kind: string;
}

/** The bar that loads or removes the demo dataset. */
interface DemoView {
  /** Whether any demo session exists. */
  is_loaded: boolean;
  /** The result of the last action. */
  note: string;
}

/** A message, or a call of a message, to be edited. */
interface EditView {
  message_id: string;
  title: string;
  /** Index of the call in the message's reading, or None to edit the text. */
  call: number | null;
  /** The text of the message, byte for byte. Empty if a call is edited. */
  text: string;
  tools: Record<string, FormField[]>;
  /** The tool of the call. */
  name: string;
  values: Record<string, string>;
  /** Label of the button that only saves. */
  save: string;
  /** Label of the button that saves and continues the turn. Empty to leave the button out. */
  go_on: string;
  /** True if the model can continue from the edited text. */
  can_continue: boolean;
  kind: string;
}

/** A question of the empty state, which is sent by a click. */
interface ExampleQuestion {
  text: string;
  /** The toolset to choose for it. Empty if the tool is offered already. */
  toolset: string;
  note: string;
}

/** The contents of the live pane. */
interface LiveView {
  /** False hides the pane. */
  is_live: boolean;
  /** The text of this round so far. */
  pieces: TextSpan[];
  note: string;
  /** Id of a turn that the page should watch from now on. Empty if it does already. */
  follow: string;
  /** The session of that turn. */
  session: string;
}

/** The line above the setup: presets, and what was just done. */
interface PresetBarView {
  presets: PresetLine[];
  /** Identifies the defaults of the server. A setup that was stored with other defaults is not used after a reload. */
  defaults: string;
  /** The preset that was applied or saved just now. Empty for none; None if that did not change. */
  open_id: string | null;
  /** True if the setup is now as the preset `open_id` has it. */
  is_filled: boolean;
  undo: PresetUndo | null;
  /** Why the last action failed. Empty if it did not. */
  problem: string;
  /** Something to know about the setup. May be empty. */
  note: string;
  /** A new number for every answer of the server. */
  serial: number;
}

/** One preset of the list. */
interface PresetLine {
  id: string;
  name: string;
  /** Its contract and model. */
  note: string;
  /** The relative address that opens it, for its owner. */
  link: string;
  /** The relative address that opens it for anybody. Empty while it is not shared. */
  shared_link: string;
}

/** What the button Undo reverts. */
interface PresetUndo {
  /** What was done. */
  text: string;
  /** `restore` or `put_back`. */
  action: "apply" | "save" | "replace" | "rename" | "delete" | "restore" | "share" | "unshare" | "reset" | "put_back";
  /** The deleted or replaced preset. */
  id: string;
  /** The preset that replaced it. Empty if it was deleted. */
  in_place_of: string;
}

/** What the rows in the form are. */
interface RowCheckView {
  /** Number of rows, and how each column is used. */
  note: string;
  /** The message of the first row. */
  first: string;
  /** Why the rows cannot be run. Empty if they can. */
  problem: string;
  warnings: string[];
  /** Number of the check, so that the browser ignores the answers to older ones. */
  number: number;
}

/** A row of the table. */
interface RowLineView {
  number: number;
  /** The values of the columns. */
  cells: string[];
  /** `waiting`, `done` or `error`. */
  state: string;
  /** The answer, or the error. */
  answer: string;
  calls: string;
  /** Codes of fixes and findings. */
  findings: string;
  seconds: string;
  /** Relative address of the session. Empty if there is none. */
  session: string;
}

/** A run over rows. */
interface RowRunView {
  id: string;
  /** How many rows are done. */
  note: string;
  /** Share of the rows that are done, from 0 to 1. */
  share: number;
  is_running: boolean;
  /** True if the run is incomplete and not in progress. */
  can_resume: boolean;
  columns: string[];
  rows: RowLineView[];
}

/** The window for runs over rows. None leaves that part as it is. */
interface RowWindowView {
  check: RowCheckView | null;
  run: RowRunView | null;
  /** Result or problem of the last action. */
  message: string;
  is_problem: boolean;
  /** A new number for every answer of the server. */
  serial: number;
}

/** What the fields of the form show. */
interface SamplingView {
  /** Values by the names in `FORM_FIELDS`, in that order: the browser compares setups as JSON text. */
  values: Record<string, unknown>;
}

/** The bar of the open session. Hidden if no session is open. */
interface SessionBarView {
  is_open: boolean;
  title: string;
  tags: string[];
  /** True if the session can only be read and copied. */
  is_read_only: boolean;
  /** Why the session is read-only. Empty if it is not. */
  note: string;
  /** Query string of the link that shows the session to others. Empty if it is not shared. */
  link: string;
}

/** One session of the list. */
interface SessionListRow {
  id: string;
  /** The title, or `untitled`. */
  title: string;
  /** Time or date of the last use, short. */
  when: string;
  /** The day, on the first row of that day. Empty on other rows. */
  heading: string;
  /** True for the session that the page shows. */
  is_open: boolean;
  /** `shared`, `damaged`, `other owner`, `gateway` or empty. */
  word: string;
  /** The client whose requests the gateway recorded. Empty if it is not known. */
  client: string;
  /** What part of the session cannot be read. Empty if it is intact. */
  damage: string;
  tags: string[];
  /** False for a session of another owner. */
  can_delete: boolean;
  /** Part of a message with the words that were searched for. Empty if they are not in a message. */
  snippet: TextSpan[];
}

/** The list of sessions. */
interface SessionsView {
  /** By last use, or the best matches of a search first. */
  rows: SessionListRow[];
  /** Sessions that can be restored, the last deleted first. */
  deleted: SessionListRow[];
  /** The session that was just deleted, or None. */
  undo: SessionListRow | null;
  /** Label of the button that lists the sessions of other owners. Empty for anyone but an admin. */
  scope: string;
  /** The search words. Blank if there is no search. */
  query: string;
  /** Whether there are sessions beyond the last row. */
  has_more: boolean;
  /** Shown if the list is empty. */
  hint: string;
  /** When the gateway last recorded something, for `look_sessions`. Empty if it never did. */
  recorded: string;
  /** How often the page asks for news while it is visible, in milliseconds. 0 if the gateway records nothing at the moment. */
  look_ms: number;
}

/** The composed system text with its size. */
interface SystemTextView {
  /** Number of characters and, if known, of tokens. */
  size: string;
  /** The text, with tags and special tokens as pieces of their own. */
  pieces: TextSpan[];
}

/** A switch for each tool. The browser keeps which tools are off. */
interface ToolSwitchesView {
  /** The tools of the setup, or None to keep them. */
  names: string[] | null;
  /** The tools to switch off, all others on, or None to leave the switches as they are. */
  disabled: string[] | null;
}

/** The contents of the transcript. */
interface TranscriptView {
  /** Oldest first. */
  entries: TranscriptEntry[];
  /** The message that the inspector shows, or None for the newest. */
  selected: string | null;
  /** Heading of the empty state. */
  heading: string;
  /** Text of the empty state. */
  hint: string;
  /** Example questions of the empty state. */
  examples: ExampleQuestion[];
  /** Index of the selected call of that message, or None. */
  selected_call: number | null;
  /** False if the session is read-only. */
  can_edit: boolean;
  /** Whether only the examples of the empty state change. A session that was opened meanwhile stays. */
  is_examples_only: boolean;
}

/** A call that waits for a person. */
interface WaitingView {
  /** Number of the question in its turn. The buttons send it back with the answer. */
  question: number;
  title: string;
  name: string;
  /** The arguments as JSON. */
  arguments: string;
  /** Why the call needs approval. Empty in step mode. */
  reasons: string;
  /** The document of the result that the person writes (`scripts/drafts/documents.js`). */
  document: string;
}

type BranchesEvents = "ask_branches" | "branch" | "restore_message";

type DemoBarEvents = "load_demo" | "remove_demo";

type LiveEvents = "watch_turn";

type MessagePaneEvents = "close_pane" | "edit_again" | "restore_message" | "save_case" | "save_message";

type PresetBarEvents = "preset_act" | "setup_changed";

type RowRunEvents = "row_act" | "row_run";

type SessionBarEvents = "copy_session" | "rename_session" | "share_session" | "tag_session" | "unshare_session";

type SessionsEvents = "delete_session" | "list_more" | "look_sessions" | "open_session" | "restore_session" | "scope" | "search_sessions";

type ToolSwitchesEvents = "switch_tool";

type TranscriptEvents = "branch" | "compare_turn" | "example" | "make_case" | "message_act" | "pick" | "play_on";
