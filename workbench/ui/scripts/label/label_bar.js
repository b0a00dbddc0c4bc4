// The Label tab, top and left: progress, filters, the queue and the keyboard shortcuts.
import { iconButton, node, once } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { actButton } from "./label_form.js";
import { STATE_WORDS } from "./label_queue.js";
import { SEAT } from "./label_state.js";
import { store } from "../shared/storage.js";
import { WORDS } from "./label_panel.js";

/** @type {(label: string, name: string, choices: string[][], value: string, onChange: (value: string) => void) => Template} */
const choiceField = (label, name, choices, value, onChange) =>
  html`<select class="hw-input" aria-label=${label} data-filter=${name}
    @change=${(event) => onChange(event.target.value)}>${choices.map(
      ([choice, word]) => html`<option value=${choice} ?selected=${choice === value}>${word}</option>`,
    )}</select>`;

const HELP = [
  ["j k", "next or previous call or answer"],
  ["J K", "next or previous message or result, to correct it"],
  ["1 … 5", "right, wrong tool, bad arguments, needless, should ask"],
  ["6 7", "missing call, bad answer"],
  ["Shift+1 … 5", "rating"],
  ["1 … 4", "for a pair of answers: first is better, second, equally good, both bad"],
  ["a", "accept: right or good if there is no verdict, keeps a stale message; go to the next"],
  ["A", "accept the rest of the conversation, without invalid calls"],
  ["e", "edit: correct the call or the text; Ctrl+Enter saves"],
  ["+", "add a call that the message lacks, with its result"],
  ["g", "regenerate with the corrections above"],
  ["t", "tag"],
  ["c", "comment"],
  ["u", "undo the last action, several times if needed"],
  ["r", "reject the conversation and open the next"],
  ["n p", "next or previous conversation, without submitting"],
  ["Enter", "submit and open the next; while typing, use Ctrl+Enter"],
  ["Esc", "leave the field, or stop"],
  ["?", "show these shortcuts"],
];

const ORDERS = [
  ["", "default order"],
  ["oldest", "oldest first"],
  ["newest", "newest first"],
  ["random", "random"],
  ["findings", "most findings first"],
  ["confidence", "lowest confidence first"],
];
const BY_AGREEMENT = ["agreement", "least agreement first"];

/** @param {Desk} desk */
export const addBar = (desk) => {
  const progress = node("strong", { class: "hw-progress", role: "status" });
  const facts = node("span", { class: "hw-note" });
  const notice = node("p", { class: "hw-line t-error hw-label-notice", role: "alert", hidden: true });

  let message = "";
  // Refusals of sessions that are no longer shown. Each stays until it is opened or dismissed.
  /** @type {Refusal[]} */
  let refusals = [];

  const drawNotice = () => {
    render(
      [
        message ? html`<span>${message}</span>` : "",
        refusals.map(
          (refusal) =>
            html`<span class="hw-refusal">${refusal.text}${actButton("Open it", "", () =>
              settle(refusal, true),
            )}${iconButton("cross", "Dismiss", () => settle(refusal, false))}</span>`,
        ),
      ],
      notice,
    );
    notice.hidden = !message && !refusals.length;
  };

  const settle = (/** @type {Refusal} */ refusal, /** @type {boolean} */ isOpened) => {
    refusals = refusals.filter((other) => other !== refusal);
    drawNotice();
    if (isOpened) desk.go(refusal.session);
  };

  const showError = (/** @type {string} */ text) => {
    message = text;
    drawNotice();
  };

  const showRefusal = (/** @type {string} */ session, /** @type {string} */ text) => {
    refusals = [...refusals.filter((other) => other.text !== text), { session, text }];
    drawNotice();
  };

  const storeSeat = () => store(SEAT, { seat: desk.state.seat, filter: desk.state.filter });

  const show = (/** @type {Partial<LabelState>} */ changes) =>
    desk.inTurn(() => {
      showError("");
      if (changes.seat) desk.takeSeat(changes.seat);
      Object.assign(desk.state, changes);
      storeSeat();
      desk.refresh();
    });

  const textFilter = (/** @type {string} */ label, /** @type {string} */ name, type = "text") =>
    html`<input class="hw-input" aria-label=${label} title=${label} placeholder=${label} data-filter=${name}
      type=${type} .value=${desk.state.filter[name] || ""}
      @change=${(event) => filterBy(name, event.target.value)}>`;

  // A date field shows no placeholder.
  const dateFilter = (/** @type {string} */ label, /** @type {string} */ name) =>
    html`<label class="hw-dated">${label}${textFilter(label, name, "date")}</label>`;

  // A field of the filter with these choices.
  /** @param {string} label @param {string} name @param {string[][]} choices */
  const choiceFilter = (label, name, choices) =>
    choiceField(label, name, choices, desk.state.filter[name] || "", (value) => filterBy(name, value));

  const filterBy = (/** @type {string} */ name, /** @type {string} */ value) =>
    show({ filter: { ...desk.state.filter, [name]: value } });
  const filters = node("div", { class: "hw-filters" });

  const foldFilters = node(
    "details",
    { class: "hw-filter-fold" },
    html`<summary><span>Filter</span><span class="hw-note hw-filtered"></span></summary>`,
    filters,
  );

  // Closes the filters, whose fields save when they lose the focus. Returns whether they were open.
  const closeFilters = () => {
    if (!foldFilters.open) return false;
    if (foldFilters.contains(document.activeElement)) document.activeElement.blur();
    foldFilters.open = false;
    return true;
  };

  document.addEventListener("pointerdown", (event) => {
    if (foldFilters.isConnected && !foldFilters.contains(/** @type {Node} */ (event.target))) closeFilters();
  });

  const help = node("dialog", { class: "hw-keys", "aria-label": "Keyboard shortcuts of the Label tab" });

  const head = node(
    "div",
    { class: "hw-label-head" },
    progress,
    facts,
    node("span", { class: "hw-gap" }),
    foldFilters,
    actButton("Shortcuts", "?", () => showHelp()),
  );

  const prose = node("div", { class: "hw-markdown" });
  const guidelines = node(
    "details",
    { class: "hw-guidelines" },
    html`<summary><span>Guidelines</span></summary>`,
    prose,
  );

  const queue = node(
    "nav",
    { class: "hw-label-queue", "aria-label": "Sessions to label" },
    guidelines,
    ...desk.queueParts,
  );

  const keys = (/** @type {string} */ text) =>
    text.split(" ").map((key) => (key === "…" ? " … " : html`<kbd>${key}</kbd>`));
  render(
    html`<table><tbody>${HELP.map(
      ([named, text]) => html`<tr><th scope="row">${keys(named)}</th><td>${text}</td></tr>`,
    )}</tbody></table><button type="button" class="hw-button" @click=${() => help.close()}>Close</button>`,
    help,
  );

  /** @type {(element: MarkdownNode) => Drawable} */
  const drawn = ({ tag, text, href, children }) =>
    tag
      ? node(
          tag,
          href ? { href, target: "_blank", rel: "noopener noreferrer nofollow" } : {},
          text,
          children.map(drawn),
        )
      : text;

  const drawGuidelines = (/** @type {MarkdownNode[]} */ elements) => {
    const key = JSON.stringify(elements);
    if (prose.dataset.key === key) return;
    prose.dataset.key = key;
    render(elements.map(drawn), prose);
  };

  const showHelp = () => {
    if (help.open) help.close();
    else help.showModal();
  };

  const drawFilters = () => {
    const { seat, owner, filter } = desk.state;
    const view = desk.view();
    const orders = mayDecide() && seat.project ? [...ORDERS, BY_AGREEMENT] : ORDERS;
    // The fields can be older than the seat: they are not drawn again while one of them has the focus.
    const sit = (/** @type {Partial<Seat>} */ change, more = {}) =>
      show({ seat: { ...desk.state.seat, ...change }, ...more });
    const fields = [
      choiceField(
        "Project",
        "project",
        view.project.names.map((name) => [name, name || "all sessions"]),
        seat.project,
        (project) => sit({ project }, { filter: {} }),
      ),
      html`<span class="hw-project-acts">${desk.projectActs()}</span>`,
      html`<input class="hw-input" aria-label="Your name" placeholder="Your name" data-filter="labeller"
        ?disabled=${owner !== ""} .value=${seat.labeller}
        @change=${(event) => sit({ labeller: event.target.value.trim() })}>`,
      choiceFilter("State", "state", [["", "any state"], ...Object.entries(STATE_WORDS)]),
      choiceFilter("Fixes", "has_fix", [
        ["", "any fixes"],
        ["yes", "with fixes"],
        ["no", "without fixes"],
      ]),
      choiceFilter("Verdict", "verdict", [["", "any verdict"], ...Object.entries(WORDS)]),
      textFilter("Tag", "tag"),
      textFilter("Contract, such as minimal@3", "contract"),
      textFilter("Model", "model"),
      dateFilter("Used since", "since"),
      dateFilter("Used before", "until"),
      textFilter("Row or session ID", "row"),
      textFilter("Format of the import", "format"),
      textFilter("File of the import", "source"),
      textFilter("Tool", "tool"),
      textFilter("Finding or fix, such as trailing-comma", "finding"),
      mayDecide() ? textFilter("Annotator", "assignee") : "",
      choiceFilter("Order", "order", orders),
      filter.order === "random" ? textFilter("Seed", "seed", "number") : "",
      mayDecide()
        ? html`<label class="hw-check"><input type="checkbox" .checked=${seat.is_deciding}
            @change=${(event) => sit({ is_deciding: event.target.checked })}>${
              seat.project ? "review: my labels are final" : "my labels are final"
            }</label>`
        : "",
    ];
    filters.replaceChildren(once(html`${fields}`));
  };

  const mayDecide = () => desk.view().project.role !== "annotator";
  const filterText = () =>
    Object.entries(desk.state.filter)
      .filter(([, value]) => value)
      .map(([name, value]) => name.replace("_", " ") + " " + value)
      .join(", ");

  const drawBar = () => {
    const view = desk.view();
    const stale = desk.entries().flatMap((entry) => entry.stale).length;
    progress.textContent = view.progress;
    progress.title = view.progress_lines.join("\n");
    facts.textContent = [
      ...view.progress_lines,
      desk.state.agreement,
      desk.conversation()?.is_blind && view.project.name ? "blind" : "",
      stale ? stale + " stale here" : "",
      desk.state.modelWork ? desk.state.modelWork + " · Esc stops" : "",
    ]
      .filter(Boolean)
      .join(" · ");
    const active = [desk.state.seat.project, filterText()].filter(Boolean);
    foldFilters.querySelector(".hw-filtered").textContent = active.join(", ");
    if (!filters.contains(document.activeElement)) drawFilters();
    desk.drawQueue();
    guidelines.hidden = !view.project.guidelines.length;
    drawGuidelines(view.project.guidelines);
  };

  Object.assign(desk, {
    showHelp,
    head,
    notice,
    queue,
    help,
    showError,
    showRefusal,
    closeFilters,
    storeSeat,
    filterText,
    drawBar,
  });
};
