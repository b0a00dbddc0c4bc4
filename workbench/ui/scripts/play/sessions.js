// The list of sessions, with search and filters. Events: `open_session`, `delete_session`, `restore_session`,
// `search_sessions`, `list_more`, `scope`, and `look_sessions` for what the gateway has recorded.
import { iconButton, pieces } from "../shared/dom.js";
import { html, nothing, render, repeat } from "../shared/lit_html.js";

// A page that was away for this long asks for news.
const AWAY_MS = 3000;
const VERDICTS = [
  "right",
  "wrong-tool",
  "bad-arguments",
  "needless",
  "should-ask",
  "good",
  "missing-call",
  "bad-answer",
];

/** @param {Part<SessionsView, SessionsEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { documents, router } = window.hermesWorkbench;

  /** @type {SessionsView | null} */
  let view = null;
  // What the fields of the filter say, by their names. Fields without a value are left out.
  /** @type {Record<string, string>} */
  const chosen = {};
  let query = "";
  let typed = 0;

  const search = () => {
    clearTimeout(typed);
    typed = setTimeout(() => {
      triggerLatest("search_sessions", { query, filter: JSON.stringify(chosen) });
      draw();
    }, 150);
  };

  const choose = (/** @type {string} */ name) => (/** @type {PageEvent} */ event) => {
    if (event.target.value) chosen[name] = event.target.value;
    else delete chosen[name];
    search();
  };

  /** @param {string} name @param {string} label @param {string[][]} choices */
  const choice = (name, label, choices) =>
    html`<select class="hw-input" data-filter=${name} aria-label=${label} @change=${choose(name)}>
      ${choices.map(([value, word]) => html`<option value=${value}>${word}</option>`)}
    </select>`;

  const word = (/** @type {string} */ name, /** @type {string} */ label, type = "text") =>
    html`<input class="hw-input" data-filter=${name} aria-label=${label} title=${label} placeholder=${label}
      type=${type} @input=${choose(name)}>`;

  // A date field shows no placeholder.
  const date = (/** @type {string} */ name, /** @type {string} */ label) =>
    html`<label class="hw-dated">${label}${word(name, label, "date")}</label>`;

  const withOrWithout = (/** @type {string} */ noun) => [
    ["", "any " + noun],
    ["yes", "with " + noun],
    ["no", "without " + noun],
  ];
  const filters = [
    choice("has_fix", "Fixes", withOrWithout("fixes")),
    choice("has_drop", "Dropped calls", withOrWithout("dropped calls")),
    choice("verdict", "Verdict", [
      ["", "any verdict"],
      ...VERDICTS.map((verdict) => [verdict, verdict.replace("-", " ")]),
    ]),
    choice("source", "Source", [
      ["", "any source"],
      ...["chat", "import", "gateway"].map((source) => [source, source]),
    ]),
    word("tag", "Tag"),
    word("contract", "Contract or its hash"),
    word("model", "Model"),
    date("since", "Used since"),
    date("until", "Used before"),
  ];

  // Asks for news as long as the gateway records, and after the user was elsewhere, for example to start it.
  let recorded = "";
  let looks = 0;
  let leftAt = 0;

  const look = () => {
    if (!element.isConnected) return clearInterval(looks);
    if (!document.hidden) trigger("look_sessions", { recorded });
  };

  const returned = () => {
    if (leftAt && Date.now() - leftAt > AWAY_MS) look();
    leftAt = 0;
  };

  window.addEventListener("blur", () => (leftAt = leftAt || Date.now()));
  window.addEventListener("focus", returned);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) leftAt = leftAt || Date.now();
    else returned();
  });

  router.onPlace("play", ({ session = "", shared = "", message = "" }, request) => {
    if (!session && !shared) documents.beginSession();
    triggerLatest("open_session", { session, shared, message, request });
  });

  const restore = (/** @type {SessionListRow} */ row, /** @type {string} */ word) =>
    html`<button type="button" class="hw-act" aria-label="${word} ${row.title}"
      @click=${() => trigger("restore_session", { id: row.id })}>${word}</button>`;

  const tags = (/** @type {SessionListRow} */ row) =>
    row.tags.length || row.client
      ? html`<span class="hw-tags">${row.tags.map((tag) => html`<span class="hw-tag">${tag}</span>`)}${
          row.client ? html`<span class="hw-client" title="Client: ${row.client}">${row.client}</span>` : ""
        }</span>`
      : "";

  const item = (/** @type {SessionListRow} */ row) =>
    html`${row.heading ? html`<li class="hw-day">${row.heading}</li>` : ""}<li class="hw-listed">
      <button type="button" class="hw-session" data-id=${row.id} aria-current=${row.is_open ? "true" : nothing}
        title=${row.damage ? row.title + ": " + row.damage : row.title}
        @click=${() => router.goTo("play", { session: row.id })}
      ><span class="hw-title">${row.title}</span>${tags(row)}${
        row.word ? html`<span class="hw-word${row.damage ? " is-damaged" : ""}">${row.word}</span>` : ""
      }<span class="hw-note">${row.when}</span>${
        row.snippet.length ? html`<span class="hw-snippet">${pieces(row.snippet)}</span>` : ""
      }</button>${
        row.can_delete
          ? iconButton("cross", "Delete " + row.title, () => trigger("delete_session", { id: row.id }))
          : ""
      }
    </li>`;

  const deletedItem = (/** @type {SessionListRow} */ row) =>
    html`<li class="hw-listed"><span class="hw-title" title=${row.title}>${row.title}</span><span
      class="hw-note">${row.when}</span>${restore(row, "Restore")}</li>`;

  const draw = () => {
    const { rows = [], deleted = [], undo, scope, hint, has_more: hasMore } = view || {};
    const active = Object.keys(chosen).length;
    render(
      html`<input type="search" class="hw-search" placeholder="Search" aria-label="Search sessions"
          autocomplete="off" spellcheck="false" @input=${(event) => {
            query = event.target.value;
            search();
          }}>
        <details class="hw-filter">
          <summary><span>Filter</span><span class="hw-note">${active ? active + " active" : ""}</span></summary>
          <div class="hw-session-filters">${filters}</div>
        </details>
        <p class="hw-line hw-undo" role="status" ?hidden=${!undo}>${
          undo ? html`<span class="hw-title">Deleted: ${undo.title}</span>${restore(undo, "Undo")}` : ""
        }</p>
        <button type="button" class="hw-act hw-scope" ?hidden=${!scope}
          @click=${() => trigger("scope", {})}>${scope}</button>
        <ul class="hw-sessions">${repeat(rows, (row) => row.id, item)}</ul>
        <p class="hw-hint" ?hidden=${rows.length > 0}>${hint}</p>
        <button type="button" class="hw-act hw-more" ?hidden=${!hasMore}
          @click=${() => trigger("list_more", {})}>Show more</button>
        <details class="hw-deleted" ?hidden=${deleted.length === 0 || query.trim() !== ""}>
          <summary><span>Deleted</span></summary>
          <ul class="hw-sessions">${deleted.map(deletedItem)}</ul>
        </details>`,
      element,
    );
  };

  follow((value) => {
    view = value;
    recorded = value ? value.recorded : "";
    clearInterval(looks);
    looks = value && value.look_ms ? setInterval(look, value.look_ms) : 0;
    // Another event may have drawn the results of an older query.
    if (value && value.query !== query) search();
    draw();
  });
};
