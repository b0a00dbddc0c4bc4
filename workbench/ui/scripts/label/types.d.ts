// Written by `python -m tests.ui.script_types` from the views and events of the page.

/** The result of an action. The page removes the action from its log. */
interface ActionAnswer {
  client: string;
  number: number;
  session: string;
  /** Why it was refused. Empty if it was applied. */
  problem: string;
  /** Code of the refusal, such as `stale`. */
  code: string;
  /** The message that the refusal is about. Empty if it is about none. */
  message: string;
  /** The call that the refusal is about, or None for the whole message. */
  call: number | null;
  /** Whether it is applied if the annotator confirms it. */
  can_confirm: boolean;
  /** A remark on an action that was applied. */
  note: string;
}

/** The conversation to label. */
interface ConversationView {
  id: string;
  title: string;
  /** Oldest first. */
  entries: LabelEntry[];
  /** The form fields of each offered tool. */
  tools: Record<string, FormField[]>;
  /** The description of each offered tool. */
  descriptions: Record<string, string>;
  /** The offered tools whose mocks can give the result of an added call. */
  mocked: string[];
  /** Lines about the training row that the conversation becomes. */
  row: NoticeLine[];
  /** Whether labels of others are hidden until it is submitted. */
  is_blind: boolean;
  /** Whether the conversation can become a training row. */
  can_export: boolean;
  /** The message with which the first answer of a preference pair begins. Empty if there is no pair. */
  pair: string;
  /** The other answer of the pair. */
  other: TranscriptEntry[];
}

/** One message of the transcript with its label targets. */
interface LabelEntry {
  entry: TranscriptEntry;
  /** Ids of the message or of its results that follow a correction. */
  stale: string[];
  /** The calls in order, then added calls, the results, and the message itself. */
  targets: LabelTargetView[];
}

/** Everything that the Label tab shows. */
interface LabelTabView {
  /** Number of the command that this answers, or 0 for none. */
  serial: number;
  project: ProjectView;
  annotator: string;
  /** Some sessions of the queue, in its order. */
  rows: QueueRow[];
  /** Index of the first row in the queue, from 0. */
  first: number;
  /** Number of sessions in the queue. */
  total: number;
  /** How many sessions are done, or decided in a review. */
  progress: string;
  progress_lines: string[];
  /** Agreement of the annotators for each kind of item. Empty with fewer than two annotators, None if unchanged. */
  agreement: string | null;
  /** The samples for review. None if unchanged, or if they may not be shown. */
  review: ReviewView | null;
  /** The open conversation, or None. */
  conversation: ConversationView | null;
  /** Shown if no conversation is open. Empty if there is nothing to label, or nothing is known yet. */
  hint: string;
  notice: NoticeView;
  /** The results of the command's actions. */
  answers: ActionAnswer[];
  /** The next conversations of the queue that the page has not loaded yet. */
  ahead: ConversationView[];
  /** The result of a change of the project, or of an assignment. Empty if there was none. */
  done: string;
  /** The result of an added call. None if none was requested. */
  trial: MockAnswer | null;
}

/** A message, or a call of a message, that can be labelled. */
interface LabelTargetView {
  /** Id of the message. */
  message: string;
  /** Index of the call in the message's reading, or None for the message itself. */
  call: number | null;
  role: string;
  /** Heading of the label panel. */
  title: string;
  /** Whether `j` and `k` stop here: at each call, and at model messages without a call. In a review, only where annotators disagree. */
  is_stop: boolean;
  /** The label of this annotator. */
  label: LabelView;
  /** The verdicts that it can have. The first one accepts it. Empty if it cannot be judged. */
  verdicts: string[];
  /** For a call: the first parameter that does not fit the schema. Empty if all do. */
  broken: string;
  /** For a call: whether it does not fit its schema, or its tool is not offered. It cannot be accepted. */
  is_invalid: boolean;
  /** The labels of others that this annotator may see. */
  others: OtherLabel[];
  /** For somebody who decides: whether annotators disagree about it. */
  is_disputed: boolean;
  /** For a message: its text, for editing. */
  text: string;
  /** For a call: its tool, for editing. */
  tool: string;
  /** For a call: the values of the form fields. */
  values: Record<string, string>;
  /** Whether an annotator added it as a call that the message lacks. The model did not write it. */
  is_added: boolean;
}

/** The label of one annotator for a message or a call. All fields are empty at first. */
interface LabelView {
  /** Empty if there is no verdict. */
  verdict: string;
  /** From 1 to 5, or 0 for no rating. */
  rating: number;
  tags: string[];
  comment: string;
  /** For a message: the corrected text, or None. */
  text: string | null;
  /** For a call: the tool of the correction. Empty if there is none. */
  name: string;
  /** For a call: the arguments of the correction as JSON. */
  arguments: string;
  /** For an added call: its result. None for others. */
  result: string | null;
  /** Answers to the questions of the project, by the name of the question. */
  answers: Record<string, string>;
}

/** A lot of rows. */
interface LotView {
  name: string;
  /** The rule and both risks. */
  plan: string;
  state: string;
  /** Whether the labels decide it, and nobody has recorded the verdict. */
  can_record: boolean;
}

/** An element, or a text. */
interface MarkdownNode {
  /** Name of the HTML element. Empty for a text. */
  tag: string;
  text: string;
  /** Address of a link. */
  href: string;
  children: MarkdownNode[];
}

/** What the mock of a tool answers an added call. */
interface MockAnswer {
  /** The form as the page sent it. */
  form: Record<string, string | number | number | boolean | null | unknown[] | Record<string, unknown>>;
  result: string;
  /** Why there is no result. Empty if there is one. */
  problem: string;
}

/** The label of another annotator, or the deciding one. */
interface OtherLabel {
  /** Name of the annotator, or `final`. */
  name: string;
  /** The label in one line, without its correction. */
  summary: string;
  /** Its content, which somebody who decides can take over. */
  label: LabelView;
}

/** The labelling project. */
interface ProjectView {
  /** Reference of the project. Empty for the default project with all sessions. */
  name: string;
  /** References of all projects. */
  names: string[];
  /** Markdown, parsed. */
  guidelines: MarkdownNode[];
  questions: QuestionView[];
  /** Whether every call and answer needs a verdict. */
  requires_verdicts: boolean;
  /** Value of a `ProjectRole`: what this person may do in the project. */
  role: string;
  /** Names of the annotators that this person may filter by. */
  annotators: string[];
  /** The fields of the project's form, as texts. Empty for somebody else's project. */
  form: Record<string, string>;
  /** Names of the person's deleted projects that can be restored. The last deleted comes first. */
  deleted: string[];
}

/** A question of a labelling project. */
interface QuestionView {
  /** Key of the answer. */
  name: string;
  text: string;
  /** Possible answers. Empty if any text is an answer. */
  choices: string[];
  /** The key that answers it, or goes to its field. Empty if there are more questions than keys. */
  key: string;
  /** Whether the session needs an answer to it. */
  is_required: boolean;
}

/** One session of the queue. */
interface QueueRow {
  id: string;
  title: string;
  /** Value of a `QueueState`. */
  state: string;
  /** The annotator, if rows of others are listed. Then number, format and id of an imported row. */
  facts: string[];
}

/** The samples for review of a project. */
interface ReviewView {
  lots: LotView[];
  /** How often each annotator is right on the gold rows, a line each. */
  accuracies: string[];
  /** The agreement of each model with each person, a line each. */
  models: string[];
}

type LabelDeskEvents = "label_again" | "label_judge" | "label_order" | "label_stop";
