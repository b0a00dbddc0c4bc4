// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** One parameter of a tool. */
interface GridRow {
  name: string;
  /** The schema's `type`. Several types are separated by commas. Empty for none. */
  type: string;
  is_required: boolean;
  /** Description for the model. Empty for none. */
  description: string;
  /** The allowed values, separated by commas: JSON, or words without quotes. Empty for any value. */
  enum: string;
  /** The default: JSON, or a text without quotes. Empty for none. */
  default: string;
  /** The previous name, or empty for a new parameter. The parts of its schema that the grid does not show are kept. */
  was: string;
  /** Names of the properties of an object, or of the objects in a list. The grid does not edit them. */
  nested: string[];
}

/** One server. */
interface McpServerLine {
  name: string;
  /** Its address, or the command that starts it. */
  place: string;
  status: string;
  /** What the status means, or the number of its tools. */
  meaning: string;
  /** Why it failed. Empty if it did not. */
  cause: string;
  /** The last lines that its program wrote to standard error. */
  stderr: string[];
  is_off: boolean;
  /** Its configuration as JSON. */
  text: string;
}

/** All servers of the settings file. */
interface McpServersView {
  servers: McpServerLine[];
  /** The server that was removed just now. */
  removed: RemovedServer | null;
  /** Why the last action failed, or which tools cannot be used. */
  problems: string[];
  /** The server whose form stays open, because its changes could not be saved. */
  editing: string;
  /** A new number for every answer of the server. */
  serial: number;
}

/** The mock rules as rows. */
interface MockRulesView {
  /** False if the rules cannot be read. The rows are then hidden. */
  is_object: boolean;
  /** The rules. The browser ignores the rows of a text that the editor does not show any more. */
  text: string;
  rows: RuleRow[];
}

/** A server that can be restored. */
interface RemovedServer {
  name: string;
  /** Its configuration as JSON. */
  text: string;
}

/** One rule. All cells are texts of one line. */
interface RuleRow {
  /** Conditions, such as `city: Oslo, unit: {any_of: [C, F]}`. Empty for any call. */
  when: string;
  /** One of `ANSWERS`. */
  kind: string;
  /** A text, or a value in YAML. */
  answer: string;
  /** What the call changes in the world, as a YAML list. Empty for nothing. */
  effects: string;
  /** Index of the rule in the text, from 0. None for a new one. */
  was: number | null;
}

/** The grid of parameters. */
interface ToolGridView {
  /** False if the spec is not a JSON object yet. The grid is then hidden. */
  is_object: boolean;
  /** The spec. The browser ignores the grid of a text that the editor does not show any more. */
  text: string;
  rows: GridRow[];
}

/** A toolset of the list with its tools. */
interface ToolGroup {
  name: string;
  tools: ToolLine[];
}

/** One tool of the list. */
interface ToolLine {
  name: string;
  /** Emoji and name, shown as the tooltip. */
  title: string;
  /** Why the tool is unavailable. Empty if it is available. */
  reason: string;
  /** Whether the tool is open in the editors. */
  is_open: boolean;
  /** True if the tool is declared in another toolset. */
  is_included: boolean;
}

/** All tools, and the problems while loading them. */
interface ToolListView {
  groups: ToolGroup[];
  /** The tool in the editors. Empty for a new tool. */
  open_name: string;
  /** A new number for every answer of the server. */
  serial: number;
  /** True asks the browser for the tool that it had open. If it had none, `open_name` is opened. */
  wants_open: boolean;
  /** True asks the browser to open `open_name`, such as a tool that was imported. */
  opens: boolean;
  /** One line about each file, package or server that failed to load. */
  problems: string[];
  /** Result of adding the tool to a toolset, or why that failed. May be empty. */
  note: string;
  /** Whether the note is a problem. */
  is_problem: boolean;
}

/** The outcome of a trial call. */
interface TrialView {
  /** `result` or `failed`. */
  status: string;
  /** True if the tool failed. */
  is_error: boolean;
  /** The result that the model would see, as indented JSON. */
  text: string;
  /** Which rule answered, and how long it took. */
  note: string;
  /** Changes that were made to the arguments, one sentence each. */
  changes: string[];
  /** The world of the toolset before the call, as indented JSON. Empty if it has none. */
  world: string;
  /** What the call changed in the world. */
  world_changes: ChangeRow[];
}

type McpServersEvents = "edit_server" | "remove_server" | "restore_server" | "retry_server";

type MockRulesEvents = "edit_rules";

type ToolGridEvents = "edit_grid";

type ToolListEvents = "include_tool" | "open_tool";
