// The labelling desk, top and left: progress, filters, the queue, the list of keys.
import { node } from "./dom.js";
import { SEAT } from "./label_state.js";
import { store } from "./storage.js";
import { WORDS } from "./label_panel.js";

const chosen = (label, name, choices, read, write) => {
  const made = node(
    "select",
    { class: "hw-input", "aria-label": label, "data-filter": name, onchange: () => write(made.value) },
    choices.map(([value, word]) => node("option", { value }, word)),
  );
  made.value = read;
  return made;
};

const STATES = [
  ["", "any state"],
  ["pending", "to do"],
  ["draft", "begun"],
  ["done", "done"],
  ["discarded", "rejected"],
];

const HELP = [
  ["j k", "next, last call or answer"],
  ["1 … 5", "right, wrong tool, bad arguments, needless, should ask"],
  ["6 7", "missing call, bad answer"],
  ["Shift+1 … 5", "rating"],
  ["a", "accept: right or good, a stale one holds; on to the next"],
  ["e", "edit: correct the call or the text"],
  ["g", "regenerate, with the corrections above in place"],
  ["t", "tag"],
  ["c", "comment"],
  ["u", "undo"],
  ["r", "reject the conversation, and on to the next"],
  ["n p", "next, last conversation as it is"],
  ["Enter", "submit, and on to the next; Ctrl+Enter also while typing"],
  ["Esc", "leave the field; stop"],
  ["?", "these keys"],
];

const MARKS = { pending: "·", draft: "–", done: "✓", discarded: "×" };

export const addBar = (desk) => {
  const progress = node("strong", { class: "hw-progress", role: "status" });
  const facts = node("span", { class: "hw-note" });
  const notice = node("p", { class: "hw-line t-error hw-label-notice", role: "alert" });

  const tell = (text) => {
    notice.textContent = text;
    notice.hidden = !text;
  };

  const show = (wanted) =>
    desk.go(() => {
      Object.assign(desk.state, wanted);
      store(SEAT, { seat: desk.state.seat, filter: desk.state.filter });
      desk.order("show", {});
    });

  const typed = (label, name, attributes) => {
    const made = node("input", {
      class: "hw-input",
      "aria-label": label,
      title: label,
      placeholder: label,
      "data-filter": name,
      ...attributes,
      onchange: () => filterBy(name, made.value),
    });
    made.value = desk.state.filter[name] || "";
    return made;
  };

  const filterBy = (name, value) => show({ filter: { ...desk.state.filter, [name]: value }, listed: 50 });
  const filters = node("div", { class: "hw-filters" });

  const foldFilters = node(
    "details",
    { class: "hw-filter-fold" },
    node("summary", {}, node("span", {}, "Filter"), node("span", { class: "hw-note hw-filtered" })),
    filters,
  );

  const help = node("dialog", { class: "hw-keys", "aria-label": "Keys of the Label tab" });

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
      "Keys",
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
      chosen(
        "Project",
        "project",
        desk.state.view.project.names.map((name) => [name, name || "all sessions"]),
        desk.state.seat.project,
        (project) => show({ seat: { ...desk.state.seat, project }, listed: 50 }),
      ),
      labeller,
      chosen("State", "state", STATES, desk.state.filter.state || "", (value) => filterBy("state", value)),
      chosen(
        "Fixes",
        "has_fix",
        [
          ["", "fix or none"],
          ["yes", "has a fix"],
          ["no", "has no fix"],
        ],
        desk.state.filter.has_fix || "",
        (value) => filterBy("has_fix", value),
      ),
      chosen(
        "Verdict",
        "verdict",
        [["", "any verdict"], ...Object.entries(WORDS)],
        desk.state.filter.verdict || "",
        (value) => filterBy("verdict", value),
      ),
      typed("Tag", "tag"),
      typed("Contract, such as minimal@3", "contract"),
      typed("Model", "model"),
      typed("Used since", "since", { type: "date" }),
      typed("Used before", "until", { type: "date" }),
      typed("Given to", "assignee"),
      node("label", { class: "hw-check" }, deciding, "my labels settle it"),
    );
  };

  const drawBar = () => {
    const view = desk.state.view;
    const stale = desk.entries().filter((one) => one.stale.length).length;
    progress.textContent = view.progress;
    facts.textContent = [
      desk.state.agreement,
      stale ? stale + " stale here" : "",
      desk.state.isAgain ? "writing anew · Esc stops" : "",
    ]
      .filter(Boolean)
      .join(" · ");
    const used = Object.entries(desk.state.filter)
      .filter(([, value]) => value)
      .map(([name, value]) => name.replace("_", " ") + " " + value);
    if (desk.state.seat.project) used.unshift(desk.state.seat.project);
    foldFilters.querySelector(".hw-filtered").textContent = used.join(", ");
    if (!filters.contains(document.activeElement)) drawFilters();
    rows.replaceChildren(
      ...view.rows.map((one) =>
        node(
          "li",
          {},
          node(
            "button",
            {
              type: "button",
              class: "hw-session",
              "data-id": one.id,
              title: one.title,
              "aria-current": one.is_open ? "true" : null,
              onclick: () => desk.go(() => desk.moveTo(one.id)),
            },
            node("span", { class: "hw-title" }, one.title),
            node(
              "span",
              { class: "hw-note", title: one.word, role: "img", "aria-label": one.word },
              MARKS[one.state],
            ),
          ),
        ),
      ),
    );
    more.hidden = !view.has_more;
    guidelines.hidden = !view.project.guidelines;
    guidelines.lastChild.textContent = view.project.guidelines;
  };

  Object.assign(desk, { showHelp, head, notice, queue, help, tell, drawBar });
};
