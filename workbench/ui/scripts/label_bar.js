// The Label tab, top and left: progress, filters, the queue and the keyboard shortcuts.
import { node } from "./dom.js";
import { SEAT } from "./label_state.js";
import { store } from "./storage.js";
import { WORDS } from "./label_panel.js";

const choiceField = (label, name, choices, value, onChange) => {
  const field = node(
    "select",
    { class: "hw-input", "aria-label": label, "data-filter": name, onchange: () => onChange(field.value) },
    choices.map(([choice, word]) => node("option", { value: choice }, word)),
  );
  field.value = value;
  return field;
};

const STATES = [
  ["", "any state"],
  ["pending", "to do"],
  ["draft", "started"],
  ["done", "done"],
  ["discarded", "rejected"],
];

const HELP = [
  ["j k", "next or previous call or answer"],
  ["1 … 5", "right, wrong tool, bad arguments, needless, should ask"],
  ["6 7", "missing call, bad answer"],
  ["Shift+1 … 5", "rating"],
  ["a", "accept: right or good, keeps a stale message; go to the next"],
  ["e", "edit: correct the call or the text"],
  ["g", "regenerate with the corrections above"],
  ["t", "tag"],
  ["c", "comment"],
  ["u", "undo"],
  ["r", "reject the conversation and open the next"],
  ["n p", "next or previous conversation, without submitting"],
  ["Enter", "submit and open the next; while typing, use Ctrl+Enter"],
  ["Esc", "leave the field, or stop"],
  ["?", "show these shortcuts"],
];

const MARKS = { pending: "·", draft: "–", done: "✓", discarded: "×" };

export const addBar = (desk) => {
  const progress = node("strong", { class: "hw-progress", role: "status" });
  const facts = node("span", { class: "hw-note" });
  const notice = node("p", { class: "hw-line t-error hw-label-notice", role: "alert" });

  const showError = (text) => {
    notice.textContent = text;
    notice.hidden = !text;
  };

  const show = (changes) =>
    desk.go(() => {
      Object.assign(desk.state, changes);
      store(SEAT, { seat: desk.state.seat, filter: desk.state.filter });
      desk.order("show", {});
    });

  const textFilter = (label, name, attributes) => {
    const field = node("input", {
      class: "hw-input",
      "aria-label": label,
      title: label,
      placeholder: label,
      "data-filter": name,
      ...attributes,
      onchange: () => filterBy(name, field.value),
    });
    field.value = desk.state.filter[name] || "";
    return field;
  };

  const filterBy = (name, value) => show({ filter: { ...desk.state.filter, [name]: value }, listed: 50 });
  const filters = node("div", { class: "hw-filters" });

  const foldFilters = node(
    "details",
    { class: "hw-filter-fold" },
    node("summary", {}, node("span", {}, "Filter"), node("span", { class: "hw-note hw-filtered" })),
    filters,
  );

  const help = node("dialog", { class: "hw-keys", "aria-label": "Keyboard shortcuts of the Label tab" });

  const head = node(
    "div",
    { class: "hw-label-head" },
    progress,
    facts,
    node("span", { class: "hw-gap" }),
    foldFilters,
    node(
      "button",
      { type: "button", class: "hw-act", onclick: () => showHelp() },
      "Shortcuts",
      node("kbd", {}, "?"),
    ),
  );

  const rows = node("ul", { class: "hw-sessions", "aria-label": "Queue" });

  const more = node(
    "button",
    { type: "button", class: "hw-act hw-more", onclick: () => show({ listed: desk.state.listed + 50 }) },
    "Show more",
  );

  const guidelines = node(
    "details",
    { class: "hw-guidelines" },
    node("summary", {}, node("span", {}, "Guidelines")),
    node("div", { class: "hw-prose" }),
  );

  const queue = node(
    "nav",
    { class: "hw-label-queue", "aria-label": "Sessions to label" },
    guidelines,
    rows,
    more,
  );

  help.append(
    node(
      "table",
      {},
      node(
        "tbody",
        {},
        HELP.map(([keys, text]) =>
          node(
            "tr",
            {},
            node(
              "th",
              { scope: "row" },
              keys.split(" ").map((key) => (key === "…" ? " … " : node("kbd", {}, key))),
            ),
            node("td", {}, text),
          ),
        ),
      ),
    ),
    node("button", { type: "button", class: "hw-button", onclick: () => help.close() }, "Close"),
  );

  const showHelp = () => {
    if (help.open) help.close();
    else help.showModal();
  };

  const drawFilters = () => {
    const labeller = node("input", {
      class: "hw-input",
      "aria-label": "Labeller",
      placeholder: "Labeller",
      "data-filter": "labeller",
      disabled: desk.state.owner !== "",
      onchange: () => show({ seat: { ...desk.state.seat, labeller: labeller.value.trim() } }),
    });
    labeller.value = desk.state.seat.labeller;
    const deciding = node("input", {
      type: "checkbox",
      onchange: () => show({ seat: { ...desk.state.seat, is_deciding: deciding.checked } }),
    });
    deciding.checked = desk.state.seat.is_deciding;
    filters.replaceChildren(
      choiceField(
        "Project",
        "project",
        desk.state.view.project.names.map((name) => [name, name || "all sessions"]),
        desk.state.seat.project,
        (project) => show({ seat: { ...desk.state.seat, project }, listed: 50 }),
      ),
      labeller,
      choiceField("State", "state", STATES, desk.state.filter.state || "", (value) =>
        filterBy("state", value),
      ),
      choiceField(
        "Fixes",
        "has_fix",
        [
          ["", "any fixes"],
          ["yes", "with fixes"],
          ["no", "without fixes"],
        ],
        desk.state.filter.has_fix || "",
        (value) => filterBy("has_fix", value),
      ),
      choiceField(
        "Verdict",
        "verdict",
        [["", "any verdict"], ...Object.entries(WORDS)],
        desk.state.filter.verdict || "",
        (value) => filterBy("verdict", value),
      ),
      textFilter("Tag", "tag"),
      textFilter("Contract, such as minimal@3", "contract"),
      textFilter("Model", "model"),
      textFilter("Used since", "since", { type: "date" }),
      textFilter("Used before", "until", { type: "date" }),
      textFilter("Assigned to", "assignee"),
      node("label", { class: "hw-check" }, deciding, "my labels are final"),
    );
  };

  const drawBar = () => {
    const view = desk.state.view;
    const stale = desk.entries().filter((entry) => entry.stale.length).length;
    progress.textContent = view.progress;
    facts.textContent = [
      desk.state.agreement,
      stale ? stale + " stale here" : "",
      desk.state.isRegenerating ? "regenerating · Esc stops" : "",
    ]
      .filter(Boolean)
      .join(" · ");
    const active = Object.entries(desk.state.filter)
      .filter(([, value]) => value)
      .map(([name, value]) => name.replace("_", " ") + " " + value);
    if (desk.state.seat.project) active.unshift(desk.state.seat.project);
    foldFilters.querySelector(".hw-filtered").textContent = active.join(", ");
    if (!filters.contains(document.activeElement)) drawFilters();
    rows.replaceChildren(
      ...view.rows.map((row) =>
        node(
          "li",
          {},
          node(
            "button",
            {
              type: "button",
              class: "hw-session",
              "data-id": row.id,
              title: row.title,
              "aria-current": row.is_open ? "true" : null,
              onclick: () => desk.go(() => desk.moveTo(row.id)),
            },
            node("span", { class: "hw-title" }, row.title),
            node(
              "span",
              { class: "hw-note", title: row.word, role: "img", "aria-label": row.word },
              MARKS[row.state],
            ),
          ),
        ),
      ),
    );
    more.hidden = !view.has_more;
    guidelines.hidden = !view.project.guidelines;
    guidelines.lastChild.textContent = view.project.guidelines;
  };

  Object.assign(desk, { showHelp, head, notice, queue, help, showError, drawBar });
};
