// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** A proposal of a search. */
interface CandidateView {
  label: string;
  /** How many changes lead from the start to it. */
  depth: number;
  change: string;
  /** How many cases passed and the prompt tokens, or why it was not run. Empty while it waits. */
  facts: string;
  /** What differs from the candidate that it was made from. */
  words: DiffWord[];
  /** Whether no other candidate beats it in both aims. */
  is_best: boolean;
  is_chosen: boolean;
  /** Whether it can be compared. */
  has_run: boolean;
  /** Whether it can become a version: it was measured, and is not the start. */
  can_save: boolean;
}

/** The results of a case in one arm. */
interface CaseCellView {
  /** Label of the arm. */
  arm: string;
  text: string;
  /** `clean`, `bad`, `odd` or `quiet`. */
  tone: string;
  /** Number of runs of the case in this arm. */
  count: number;
}

/** A case as a row of the list. */
interface CaseLine {
  id: string;
  /** The last user message. */
  user_text: string;
  /** Kinds of the expectations. */
  expectations: string;
  /** Tags, tools and repetitions. */
  note: string;
}

/** One run of a case. */
interface CaseRunView {
  /** Arm and repetition, and in a comparison `before` or `after`. */
  title: string;
  /** `passed`, `failed`, `error`, `void` or `unchecked`. */
  status: string;
  /** For each expectation: ✓ or ✗, and the reason, with the turn in which it broke. */
  outcomes: ([string, string])[];
  /** Who failed, calls, answer, fixes, dropped calls and error, each with its name. */
  read: ([string, string])[];
  /** Number of tokens and seconds. */
  note: string;
  /** Id of the session with the rollout. Empty if there is none. */
  session: string;
  /** The message that begins the turn in which a conversation failed. Empty if there is none. */
  message: string;
  /** The number of this turn. */
  turn: number | null;
  /** The stored rollout. Empty if it was deleted. */
  messages: RolloutMessageView[];
}

/** The runs of a case. */
interface CaseRunsView {
  case: string;
  /** The last user message of the case. */
  user_text: string;
  /** Shown one below the other, or side by side for a comparison. */
  runs: CaseRunView[];
  /** True for a comparison. */
  is_pair: boolean;
}

/** The comparison of two runs or arms. */
interface ComparisonView {
  title: string;
  line: string;
  /** Cases that broke, then cases that started to pass. */
  changed: PairView[];
  /** Cases that did not change, or whose change is unknown. */
  rest: PairView[];
  /** What differs between the contracts of two arms. Empty if they are equal. */
  words: DiffWord[];
}

/** A deleted run that can be restored. */
interface DeletedRunView {
  id: string;
  title: string;
}

/** A problem that keeps a suite from running. */
interface FaultView {
  /** Line of the text, from 1, or None if unknown. */
  line: number | null;
  /** The case and the pointer in it. May be empty. */
  place: string;
  text: string;
}

/** The same case in both runs or arms. */
interface PairView {
  /** The change in a word, such as `broke` or `fixed`. */
  change: string;
  /** `bad`, `clean`, `odd` or `quiet`. */
  tone: string;
  case: string;
  /** Label of the arm in the second run. */
  arm: string;
  /** Result in the first run, with its calls or answer. */
  before: string;
  /** Result in the second run. */
  after: string;
  /** Index of the pair in the comparison, to open it. */
  index: number;
}

/** A message of a rollout. */
interface RolloutMessageView {
  role: string;
  /** The text, with tags and special tokens as pieces of their own. */
  pieces: TextSpan[];
}

/** The results of a case in all arms. */
interface RowView {
  case: string;
  cells: CaseCellView[];
}

/** The progress of a run. */
interface RunBarView {
  /** How many cases are done and passed, errors, and the time left. */
  note: string;
  /** Share of the run that is done, from 0 to 1. */
  share: number;
  /** True while the run can be stopped. */
  is_running: boolean;
}

/** The runs of the user. */
interface RunListView {
  /** Newest first. */
  rows: RunRowView[];
  deleted: DeletedRunView[];
  /** The run that was just deleted, or None. */
  undo: DeletedRunView | null;
  /** True if the tab was just opened. The page then keeps a run that it shows. */
  is_look: boolean;
  /** True for the list. The same component also shows a run. */
  is_list: boolean;
}

/** One run of the list. */
interface RunRowView {
  id: string;
  title: string;
  suites: string;
  contracts: string;
  models: string;
  /** When it was started. */
  when: string;
  /** Passed and scored repetitions, and the number of errors. */
  result: string;
  /** Passed repetitions, as a share of all that have a result. */
  share: number;
  /** Empty for a complete run. */
  state: string;
  duration: string;
  tags: string[];
  is_shared: boolean;
}

/** A selected case. */
interface SelectedCase {
  case: string;
  /** Label of the arm. Empty for all arms. */
  arm: string;
}

/** A run of suites. */
interface SuiteRunView {
  /** Id of the run, shown in the address bar. */
  id: string;
  title: string;
  note: string;
  /** True if the run is incomplete and not in progress. */
  can_resume: boolean;
  /** True for an update of a run in progress. It does not replace another run on the page. */
  is_live: boolean;
  /** Score cards, contracts × models, tags, and the effect of each part. */
  tables: TableView[];
  charts: Chart[];
  /** What failed and why. None if nothing failed, or while the run is in progress. */
  failures: TableView | null;
  tags: string[];
  /** Key of the link to the report. Empty if it is not shared. */
  share_key: string;
  arms: string[];
  rows: RowView[];
  has_failed: boolean;
  /** Whether a repetition passed and no other is still to be run. */
  has_passed: boolean;
  /** The candidates of a search, as a tree. */
  candidates: CandidateView[];
  /** The case to open at once, or None. */
  picked: SelectedCase | null;
}

/** The parsed suite of the editor. */
interface SuiteTextView {
  name: string;
  /** Number of cases. */
  note: string;
  /** By line. Empty if the suite can run. */
  faults: FaultView[];
  /** Cases that can be parsed, with their templates filled in. */
  cases: CaseLine[];
}

type RunBarEvents = "stop_run";

type SuiteCaseRunsEvents = "label_case";

type SuiteComparisonEvents = "open_pair";

type SuiteRunEvents = "change_run" | "compare_candidates" | "download_report" | "keep_passed" | "label_failing" | "open_case" | "open_run" | "resume_run" | "run_failing" | "take_candidate";
