// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** An argument of a call, compared with the first column. */
interface ArgumentView {
  /** Compared with the call of the first column. */
  sign: string;
  name: string;
  /** The value as JSON. Empty if the argument is missing. */
  value: string;
  /** The value in the first column as JSON, if it differs. */
  was: string;
}

/** The board of a comparison. */
interface BoardView {
  /** Id of the comparison, shown in the address bar. */
  id: string;
  session: string;
  note: string;
  /** True while answers are being generated. */
  is_running: boolean;
  /** True if answers are missing and the comparison is not running. */
  can_resume: boolean;
  heads: ColumnHeadView[];
  turns: TurnView[];
}

/** A call of a column, compared with the first column. */
interface CallView {
  /** Compared with the calls of the first column. */
  sign: string;
  /** The call. For a missing call, that of the first column. */
  card: CallCard;
  /** In the order in which the model wrote them, missing ones last. */
  arguments: ArgumentView[];
}

/** The answer of a column to a turn. */
interface CellView {
  letter: string;
  /** `done`, `failed` or `none`. */
  state: string;
  /** How the answer differs from the first column, or that there is no answer. */
  summary: string;
  /** True if something differs from the first column. */
  differs: boolean;
  problem: string;
  calls: CallView[];
  broken: (BrokenCall | TrailingBlock)[];
  thoughts: ThoughtBlock[];
  /** The text of the answer, as a diff with the first column. Without its dropped words, it is the text itself. */
  text: DiffWord[];
  /** False if the diff cannot be read, because little of the two texts is the same. */
  is_alike: boolean;
  fixes: FixLine[];
  /** How completions ended, if not normally. */
  notes: string[];
  figures: FigureView[];
  /** The first message of the answer, for a link. Empty if there is none. */
  message: string;
}

/** The contract, model and settings of a column. */
interface ColumnHeadView {
  letter: string;
  /** Name and short hash of the contract. */
  contract: string;
  model: string;
  /** Tool choice, grammar and sampling. */
  note: string;
}

/** The line that says what the columns answer. */
interface CompareTargetView {
  /** The id of the session. Empty for a question. */
  session: string;
  /** The user message of the turn, for a link. */
  message: string;
  title: string;
  note: string;
  question: string;
}

/** One measure of an answer. */
interface FigureView {
  name: string;
  value: string;
  /** Difference from the first column. Empty if there is none. */
  against: string;
}

/** A kind of fix, compared with the first column. */
interface FixLine {
  /** Compared with the fixes of the first column. */
  sign: string;
  code: string;
  /** True if the text could also have meant something else. */
  is_guess: boolean;
  note: string;
}

/** A column in progress. */
interface LiveColumn {
  letter: string;
  /** The end of the text in progress. */
  pieces: TextSpan[];
  note: string;
}

/** All columns while a comparison runs. */
interface LiveColumns {
  /** False hides the columns. */
  is_live: boolean;
  note: string;
  /** Share of the answers that are finished, from 0 to 1. */
  share: number;
  /** One per column. Empty before the first answer starts. */
  columns: LiveColumn[];
  /** Id of a running comparison that the page should watch from now on. Empty if it does already. */
  follow: string;
}

/** A turn with the answers of all columns. */
interface TurnView {
  /** Index of the turn, from 0. */
  place: number;
  /** Number of the turn. Empty if there is only one turn. */
  heading: string;
  question: string;
  cells: CellView[];
  /** True once two columns have answered. */
  can_vote: boolean;
  /** `best`, `tie` or `bad`. Empty if there is no vote. */
  vote: string;
  /** Index of the best column. None unless the vote is `best`. */
  voted: number | null;
  /** What the vote means for exports. Empty if there is no vote. */
  vote_note: string;
}

type CompareBoardEvents = "compare_example" | "compare_go_on" | "compare_open" | "compare_unvote" | "compare_vote";

type CompareLiveEvents = "compare_stop" | "compare_watch";

type CompareTargetEvents = "compare_drop";
