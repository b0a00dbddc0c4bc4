// The list of sessions, with search and filters. Events: `open_session`, `delete_session`, `restore_session`,
// `search_sessions`, `list_more`, `scope`, and `look_sessions` for what the gateway has recorded.
import { iconButton, node, pieces } from "../shared/dom.js";

// A page that was away for this long asks for news.
const AWAY_MS = 3000;

/** @param {Part<SessionsView, SessionsEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { documents, router } = window.hermesWorkbench;

  const field = node("input", {
    type: "search",
    class: "hw-search",
    placeholder: "Search",
    "aria-label": "Search sessions",
    autocomplete: "off",
    spellcheck: "false",
  });

  let typed = 0;

  const search = () => {
    clearTimeout(typed);
    typed = setTimeout(
      () => triggerLatest("search_sessions", { query: field.value, filter: JSON.stringify(chosen()) }),
      150,
    );
  };

  const choice = (name, label, choices) =>
    node(
      "select",
      { class: "hw-input", "data-filter": name, "aria-label": label, onchange: () => search() },
      choices.map(([value, word]) => node("option", { value }, word)),
    );

  const word = (name, label, more) =>
    node("input", {
      class: "hw-input",
      "data-filter": name,
      "aria-label": label,
      title: label,
      placeholder: label,
      oninput: () => search(),
      ...(more || {}),
    });

  // A date field shows no placeholder.
  const date = (name, label) =>
    node("label", { class: "hw-dated" }, label, word(name, label, { type: "date" }));

  const filters = node(
    "div",
    { class: "hw-session-filters" },
    choice("has_fix", "Fixes", [
      ["", "any fixes"],
      ["yes", "with fixes"],
      ["no", "without fixes"],
    ]),
    choice("has_drop", "Dropped calls", [
      ["", "any dropped calls"],
      ["yes", "with dropped calls"],
      ["no", "without dropped calls"],
    ]),
    choice("verdict", "Verdict", [
      ["", "any verdict"],
      ...[
        "right",
        "wrong-tool",
        "bad-arguments",
        "needless",
        "should-ask",
        "good",
        "missing-call",
        "bad-answer",
      ].map((verdict) => [verdict, verdict.replace("-", " ")]),
    ]),
    choice("source", "Source", [
      ["", "any source"],
      ["chat", "chat"],
      ["import", "import"],
      ["gateway", "gateway"],
    ]),
    word("tag", "Tag"),
    word("contract", "Contract or its hash"),
    word("model", "Model"),
    date("since", "Used since"),
    date("until", "Used before"),
  );

  const filtered = node("span", { class: "hw-note" });

  const foldFilters = node(
    "details",
    { class: "hw-filter" },
    node("summary", {}, node("span", {}, "Filter"), filtered),
    filters,
  );

  const chosen = () => {
    const found = Object.fromEntries(
      [...filters.querySelectorAll("[data-filter]")]
        .filter((field) => field.value)
        .map((field) => [field.dataset.filter, field.value]),
    );
    filtered.textContent = Object.keys(found).length ? Object.keys(found).length + " active" : "";
    return found;
  };

  field.addEventListener("input", search);

  const more = node(
    "button",
    { type: "button", class: "hw-act hw-more", onclick: () => trigger("list_more", {}) },
    "Show more",
  );

  const undo = node("p", { class: "hw-line hw-undo", role: "status" });

  const scope = node("button", {
    type: "button",
    class: "hw-act hw-scope",
    onclick: () => trigger("scope", {}),
  });

  const list = node("ul", { class: "hw-sessions" });
  const hint = node("p", { class: "hw-hint" });
  const deletedList = node("ul", { class: "hw-sessions" });

  const fold = node(
    "details",
    { class: "hw-deleted" },
    node("summary", {}, node("span", {}, "Deleted")),
    deletedList,
  );

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

  element.replaceChildren(field, foldFilters, undo, scope, list, hint, more, fold);

  const open = (row) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-session",
        title: row.damage ? row.title + ": " + row.damage : row.title,
        "data-id": row.id,
        "aria-current": row.is_open ? "true" : null,
        onclick: () => router.goTo("play", { session: row.id }),
      },
      node("span", { class: "hw-title" }, row.title),
      row.tags.length || row.client
        ? node(
            "span",
            { class: "hw-tags" },
            row.tags.map((tag) => node("span", { class: "hw-tag" }, tag)),
            row.client
              ? node("span", { class: "hw-client", title: "Client: " + row.client }, row.client)
              : null,
          )
        : null,
      row.word ? node("span", { class: "hw-word" + (row.damage ? " is-damaged" : "") }, row.word) : null,
      node("span", { class: "hw-note" }, row.when),
      row.snippet.length ? node("span", { class: "hw-snippet" }, pieces(row.snippet)) : null,
    );

  const restore = (row, word) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-act",
        "aria-label": word + " " + row.title,
        onclick: () => trigger("restore_session", { id: row.id }),
      },
      word,
    );

  follow((value) => {
    const rows = value ? value.rows : [];
    const deleted = value ? value.deleted : [];
    recorded = value ? value.recorded : "";
    clearInterval(looks);
    looks = value && value.look_ms ? setInterval(look, value.look_ms) : 0;
    undo.hidden = !value || !value.undo;
    undo.replaceChildren(
      ...(undo.hidden
        ? []
        : [node("span", { class: "hw-title" }, "Deleted: " + value.undo.title), restore(value.undo, "Undo")]),
    );
    scope.hidden = !value || !value.scope;
    scope.textContent = value ? value.scope : "";
    hint.textContent = value && rows.length === 0 ? value.hint : "";
    hint.hidden = rows.length > 0;
    more.hidden = !value || !value.has_more;
    // Another event may have drawn the results of an older query.
    if (value && value.query !== field.value) search();
    list.replaceChildren(
      ...rows
        .flatMap((row) => [
          row.heading ? node("li", { class: "hw-day" }, row.heading) : null,
          node(
            "li",
            { class: "hw-listed" },
            open(row),
            row.can_delete
              ? iconButton("cross", "Delete " + row.title, () => trigger("delete_session", { id: row.id }))
              : null,
          ),
        ])
        .filter(Boolean),
    );
    fold.hidden = deleted.length === 0 || field.value.trim() !== "";
    deletedList.replaceChildren(
      ...deleted.map((row) =>
        node(
          "li",
          { class: "hw-listed" },
          node("span", { class: "hw-title", title: row.title }, row.title),
          node("span", { class: "hw-note" }, row.when),
          restore(row, "Restore"),
        ),
      ),
    );
  });
};
