// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** A part of a line. */
interface DiffPiece {
  text: string;
  is_changed: boolean;
}

/** A line of both texts, or of one of them. */
interface SideRow {
  /** `same`, `change`, `drop`, `add`, or `skip` for unchanged lines that are left out. */
  kind: string;
  /** Number of the line in the first text, from 1. None if it has no such line. */
  before_number: number | null;
  before: DiffPiece[];
  after_number: number | null;
  after: DiffPiece[];
  /** How many lines are left out. */
  skipped: number;
}

/** The list of contracts or suites. */
interface TextListView {
  /** `contract` or `suite`. */
  kind: string;
  rows: TextRow[];
  /** The text in the editor. Empty if there is none. */
  open_name: string;
  /** A new number for every answer of the server. */
  serial: number;
  /** True if no text is opened, such as when the tab was opened or a version was saved. The browser then keeps the text that it has opened since, or opens the one that it had open last. */
  is_look: boolean;
}

/** One contract or suite of the list. */
interface TextRow {
  name: string;
  /** Number and tags of the newest version, or `file`. */
  note: string;
}

/** Two versions of a text side by side. */
interface VersionDiffView {
  title: string;
  /** Everything that can be compared: id and label, newest first. `EDITOR` is the text in the editor. */
  choices: ([string, string])[];
  before_id: string;
  after_id: string;
  /** How many lines changed. */
  summary: string;
  /** Empty if the texts are the same. */
  rows: SideRow[];
}

/** One version of the list. */
interface VersionListRow {
  id: string;
  /** The version number, such as `v3`. */
  label: string;
  /** First line of the version's message. */
  message: string;
  /** Author and time of the version. */
  note: string;
  tags: string[];
  /** True for the version that the text in the editor is, or was made from. */
  is_open: boolean;
  /** Those of `MARKS` that the version does not have. */
  marks: string[];
}

/** The version line below a text, and the list that it opens. */
interface VersionsView {
  name: string;
  /** Number of the version that the text is, or was made from. Empty if there is none. */
  label: string;
  /** Id of that version. Empty if there is none. */
  base_id: string;
  /** True if the text differs from every version. */
  is_changed: boolean;
  /** Tags of the version. Empty if the text is changed. */
  tags: string[];
  /** Newest first. */
  rows: VersionListRow[];
  /** Whether a version can be compared with the text. */
  can_compare: boolean;
  /** Id of the newest version. Empty if there is none. */
  newest_id: string;
  /** Deleted names of this kind that can be restored: id and name, the last deleted first. */
  deleted: ([string, string])[];
  /** When the history was read, in seconds since 1970. The page drops a line that is older than the shown one. */
  read_at: number;
  /** Element id of an editor: the line is shown only if that shows the text of this name by then. Empty for any. */
  field: string;
}

type TextListEvents = "open_text";

type VersionDiffEvents = "compare_version";

type VersionsEvents = "change_name" | "compare_version" | "download_version" | "mark_version" | "restore_version" | "save_version";
