// Written by `python -m tests.ui.script_types` from the views and events of the page.

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

type ModelRowsEvents = "delete_model" | "pull_model" | "show_repository" | "use_model";

type PullBarEvents = "stop_pull";
