// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** A choice of a field. */
interface FormChoice {
  value: string;
  label: string;
}

/** A button of a row. */
interface ModelAction {
  /** The event to trigger: `use_model`, `delete_model`, `show_repository` or `pull_model`. */
  event: string;
  label: string;
  /** Label after the first press, to confirm with a second one. Empty if no confirmation is needed. */
  confirm: string;
}

/** One model or repository. */
interface ModelRow {
  name: string;
  /** The heading of the row. */
  title: string;
  /** Facts about the model. No item is empty. */
  notes: string[];
  /** The state, shown on the right. Empty if there is none. */
  badge: string;
  /** Tone of the badge: `quiet`, `warning` or `error`. */
  tone: string;
  actions: ModelAction[];
  /** The receipt of an adapter as JSON, collapsed at first. Empty if there is none. */
  receipt: string;
}

/** A list of models. */
interface ModelRowsView {
  rows: ModelRow[];
  /** Shown if there are no rows. Empty draws nothing. */
  hint: string;
  /** Heading of the rows. Empty if there is none. */
  heading: string;
}

/** One server. */
interface ModelServerLine {
  /** Empty for the server of the settings. */
  name: string;
  title: string;
  url: string;
  /** The software that was entered; `openai` detects it. */
  kind: string;
  /** Its software and number of models, or that it was not asked. */
  status: string;
  /** Why it failed, and what to do. Empty if it did not fail. */
  reason: string;
  /** Its first models. */
  models: NamedModel[];
  can_edit: boolean;
  key_place: string;
  key_variable: string;
  /** The result of the test that just ended. Empty for other servers. */
  report: ReportLine[];
}

/** The servers that a person sees, and what the form for a server offers. */
interface ModelServersView {
  servers: ModelServerLine[];
  can_add: boolean;
  /** Where added servers and their keys are kept. */
  note: string;
  url_example: string;
  kinds: FormChoice[];
  /** Where a key can be kept. Empty if there is no choice. */
  key_places: FormChoice[];
  /** Why the last action failed, or the file is not used. */
  problems: string[];
  /** True if the last action failed, so that the form stays open. */
  has_failed: boolean;
  /** A new number for every answer. */
  serial: number;
}

/** The progress of a download, or how it ended. */
interface PullView {
  /** The model that is downloaded. Empty hides the pane. */
  name: string;
  /** From 0 to 1. */
  share: number;
  /** Progress in bytes and the current step. */
  note: string;
  /** True while the download can be stopped. */
  is_running: boolean;
}

/** One line of a test. */
interface ReportLine {
  text: string;
  is_problem: boolean;
}

type ModelRowsEvents = "delete_model" | "pull_model" | "show_repository" | "use_model";

type ModelServersEvents = "remove_server" | "retry_server" | "save_server" | "test_server" | "use_model";

type PullBarEvents = "stop_pull";
