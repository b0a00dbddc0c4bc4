// The Label tab in its parts: each `add…(desk)` adds the functions of its interface to the one `Desk`.

/** Who labels what: labels belong to an annotator and a project. */
interface Seat {
  labeller: string;
  project: string;
  /** True if the labels are final. */
  is_deciding: boolean;
}

/** A message, or a call of it. */
interface TargetPlace {
  message: string;
  /** Index of the call; null for the message itself. */
  call: number | null;
}

/** A field of a label as it shall be: `verdict`, `rating`, `comment`, `correction`, `tag:NAME` or `answer:NAME`. */
interface LabelChange extends TargetPlace {
  field: string;
  /** null clears the field. */
  value: any;
}

/** One action of an annotator on a session, as the server gets it. */
interface LabelAction extends LogAction, Seat {
  kind: "label" | "accept" | "accept-rest" | "undo" | "submit" | "reject";
  session: string;
  message?: string;
  call?: number | null;
  changes?: LabelChange[];
  /** The action that this one undoes. */
  undoes?: ActionId;
  /** The changes that undo it, if this tab made it. */
  before?: LabelChange[];
  /** Whether it changes what the training row is. */
  changesRow: boolean;
  is_confirmed?: boolean;
}

/** An action of this tab that can be undone. */
type UndoEntry = ActionId & {
  session: string;
  key: string | null;
  before?: LabelChange[];
  changesRow: boolean;
};

/** What is sent and not answered yet. */
interface LabelCommand extends SentCommand<LabelAction> {
  seat: Seat;
  session: string;
  after: string;
}

/** Rows of a queue; `first` is the index of the first one. */
type QueuePart = Pick<LabelTabView, "first" | "rows">;

/** What was typed for a target and is not saved: its correction as a form or as text, and a comment and a tag. */
interface LabelDraft {
  form?: CallDraft | null;
  text?: string | null;
  comment?: string | null;
  tag?: string | null;
}

/** The fields of a form by name: texts, and whether a box is checked. */
type FormValues = Record<string, string | boolean>;

/** A change of the project or of assignments, with what it needs. */
type ManageOrder = { what: string; [field: string]: unknown };

/** Why an action on a session that is not shown was refused. */
interface Refusal {
  session: string;
  text: string;
}

interface LabelState {
  /** The last view from the server. */
  view: LabelTabView | null;
  /** The loaded conversations, as the server knows them, by session. */
  conversations: Map<string, ConversationView>;
  /** The shown session. */
  session: string;
  /** Key of the selected target. */
  at: string | null;
  seat: Seat;
  /** Account that is logged in, which is then the annotator. */
  owner: string;
  filter: Record<string, string>;
  /** Index of the first row of the queue to load, null for those around the session. */
  first: number | null;
  /** 1 or -1 if the session below or above `after` is requested, whatever its state. */
  step: number;
  /** The form of an added call whose result a mock is to give. */
  trial: LabelDraft["form"];
  /** A change of the project or an assignment that is to be sent. */
  manage: ManageOrder | null;
  agreement: string;
  /** Samples for review of the project. */
  review: ReviewView;
  /** The session after which the next one was requested, while that is loading. */
  after: string;
  /** Whether the session to show is not loaded yet; keys wait for it. */
  isLoading: boolean;
  /** Whether keys wait until the changes of the shown session are stored. */
  hasToSettle: boolean;
  /** States of sessions that were submitted or rejected here. */
  closed: Map<string, "done" | "discarded">;
  /** Keys that wait, in order. */
  queue: (() => void)[];
  /** Text typed for a field of the next conversation, null for none. */
  held: string | null;
  /** True while the panel is redrawn, so that a lost focus does not save. */
  isDrawing: boolean;
  /** Actions of this tab that can be undone, the last one at the end. */
  undo: UndoEntry[];
  /** The warning that a second Enter overrides. */
  warned: string;
  /** Keys of targets whose form was opened again while their correction is saved. */
  reopened: Set<string>;
  /** Why the correction of a target was refused, by its key. */
  refusals: Map<string, { text: string; canConfirm: boolean }>;
  /** What a model is doing, such as regenerating a message; empty if nothing. */
  modelWork: string;
}

/** `addState`: what is shown, and the commands to the server. */
interface DeskState {
  state: LabelState;
  log: ActionLog<LabelAction>;
  /** The shown conversation with all pending actions, null while it loads. */
  conversation: () => ConversationView | null;
  /** The same, where it is known to be loaded. */
  loaded: () => ConversationView;
  /** The last view from the server, without which nothing is drawn. */
  view: () => LabelTabView;
  entries: () => LabelEntry[];
  targets: () => LabelTargetView[];
  /** The selected target. */
  here: () => LabelTargetView | null;
  entryOf: (target: TargetPlace) => LabelEntry;
  messageTargetOf: (target: TargetPlace) => LabelTargetView;
  stateOf: (row: QueueRow) => string;
  pendingOf: (session: string) => LabelAction[];
  /** A text that this tab stores until it is closed. */
  inTab: (name: string, value?: string) => string | null;
  forget: () => void;
  show: (session: string) => void;
  showNext: () => void;
  showNextOf: (session: string, step: number) => void;
  sync: () => void;
  refresh: () => void;
  expectLoss: () => void;
  regenerate: (message: string) => void;
  letModelLabel: (model: string) => void;
  inTurn: (work: () => void) => void;
  onceStored: (work: () => void) => void;
  isBlocked: () => boolean;
  doNext: () => void;
  receive: (value: LabelTabView) => boolean;
  takeSeat: (seat: Seat) => void;
  retryLater: () => void;
}

/** `addActions`: the actions of an annotator and their undo. */
interface DeskActions {
  /** Changes fields of a target's label: names and values, null to clear one. */
  change: (target: TargetPlace, fields: Record<string, unknown>, more?: object) => void;
  changeAll: (parts: [TargetPlace, Record<string, unknown>][], more?: object) => void;
  /** Returns whether the target could be accepted. */
  accept: (target: LabelTargetView) => boolean;
  acceptRest: () => void;
  undoLast: () => void;
  close: (kind: "submit" | "reject", isConfirmed: boolean) => void;
  onAnswer: (answer: ActionAnswer, command: LabelCommand) => void;
}

/** `addForm`: corrections. */
interface DeskForm {
  draftOf: (target: TargetPlace, role?: Seat) => LabelDraft;
  keepDraft: (target: TargetPlace, change: LabelDraft, role?: Seat) => void;
  dropSent: (action: LabelAction | undefined) => void;
  isSaving: (target: TargetPlace) => boolean;
  openEditor: (target: LabelTargetView) => void;
  saveEditor: (target: LabelTargetView) => void;
  closeEditor: (target: LabelTargetView) => void;
  addCall: (target: LabelTargetView) => void;
  requestMock: (form: LabelDraft["form"]) => void;
  takeMock: (answer: MockAnswer) => void;
  editor: (target: LabelTargetView) => Drawable;
}

/** `addSubmit`: submitting a session, and leaving it. */
interface DeskSubmit {
  submit: () => void;
  reject: () => void;
  leave: (work: () => void) => void;
  onStored: (action: LabelAction | undefined, answer: ActionAnswer) => void;
  onRefused: (action: LabelAction | undefined, answer: ActionAnswer) => void;
  isOpenDraft: (draft: LabelDraft) => boolean;
}

/** `addQueue`: the list of sessions to label. */
interface DeskQueue {
  queueParts: HTMLElement[];
  joinRows: (value: LabelTabView) => void;
  drawQueue: () => void;
  neighbour: (by: number) => void;
}

/** `addProject`: projects, and the labels of others. */
interface DeskProject {
  projectDialog: HTMLDialogElement;
  projectActs: () => Drawable;
  otherLabels: (target: LabelTargetView) => Drawable;
  forgetForm: () => void;
}

/** `addPanel`: the label of the selected target. */
interface DeskPanel {
  panel: HTMLElement;
  judge: (target: LabelTargetView, verdict: string) => void;
  rate: (target: LabelTargetView, rating: number) => void;
  addTag: (target: LabelTargetView, text: string) => void;
  saveComment: (target: LabelTargetView) => void;
  answerByKey: (target: LabelTargetView, question: QuestionView) => void;
  drawPanel: () => void;
}

/** `addConversation`: the conversation and its training row. */
interface DeskConversation {
  list: HTMLElement;
  hint: HTMLElement;
  row: HTMLElement;
  pick: (target: LabelTargetView) => void;
  drawConversation: () => void;
}

/** `addBar`: progress, filters, errors and shortcuts. */
interface DeskBar {
  head: HTMLElement;
  notice: HTMLElement;
  queue: HTMLElement;
  help: HTMLDialogElement;
  showHelp: () => void;
  showError: (text: string) => void;
  showRefusal: (session: string, text: string) => void;
  /** Returns whether the filters were open. */
  closeFilters: () => boolean;
  storeSeat: () => void;
  filterText: () => string;
  drawBar: () => void;
}

interface Desk
  extends
    Part<LabelTabView, LabelDeskEvents>,
    DeskState,
    DeskActions,
    DeskForm,
    DeskSubmit,
    DeskQueue,
    DeskProject,
    DeskPanel,
    DeskConversation,
    DeskBar {
  draw: () => void;
  /** Opens a session once everything that waits is done. */
  go: (session: string) => void;
  onOpened: () => void;
  regenerateFrom: (target: LabelTargetView) => void;
  /** Focuses the field of the panel with this `data-field`. */
  focusOn: (name: string) => void;
}
