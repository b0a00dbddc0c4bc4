// The list of runs, or the report of one: score cards, charts, the matrix of cases, failures. Its address names the run
// and the case. Events: `open_run`, `change_run`, `download_report`, `open_case`, `resume_run`,
// `run_failing`, `label_failing`, `keep_passed`, and those of a search: `compare_candidates`, `take_candidate`.
import { chart } from "../shared/charts.js";
import { editText, node, sharedLink } from "../shared/dom.js";
import { menu } from "../shared/menu.js";
import { candidateTree } from "./candidates.js";
import { drawRunList } from "./run_list.js";
import { downloads, runActions } from "./run_menu.js";
import { SIGNS, table, wideTable } from "../shared/tables.js";
import { heading } from "../shared/heading.js";

// Opens one of the two rooms of the tab, which may not be drawn yet.
const openRoom = (name, tries = 60) => {
  const button = document.querySelector(`#suites-rooms [data-tab-id=${name}]`);
  if (button?.getAttribute("aria-selected") === "true") return;
  button?.click();
  if (tries) setTimeout(openRoom, 50, name, tries - 1);
};

/** @param {Part<RunListView & SuiteRunView, SuiteRunEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  // The router's request that is being answered.
  let request = 0;
  let shown = null;
  let picked = null;
  let list = { rows: [], deleted: [] };
  let isPressed = false;
  // Whether an update came while the run was in use, and is drawn later.
  let isWaiting = false;
  // Whether the list was requested. A run in progress then does not replace it.
  let isListChosen = false;
  const candidates = candidateTree(trigger);
  const isVisible = () => element.offsetParent !== null;

  const address = () =>
    isVisible() &&
    shown &&
    router.here("suites", { run: shown.id, case: picked?.case, arm: picked?.arm }, { request });

  const mark = () =>
    element
      .querySelectorAll(".hw-cell")
      .forEach((cell) =>
        cell.setAttribute(
          "aria-pressed",
          String(
            Boolean(picked) &&
              cell.dataset.case === picked.case &&
              ["", cell.dataset.arm].includes(picked.arm),
          ),
        ),
      );

  const pick = (chosen) => {
    picked = chosen;
    mark();
    address();
    triggerLatest("open_case", { run: shown.id, case: picked?.case || "", arm: picked?.arm || "" });
  };

  const matrix = (value) => {
    const cell = (result, row) =>
      node(
        "td",
        {},
        result.count
          ? node(
              "button",
              {
                type: "button",
                class: "hw-cell t-" + result.tone,
                "data-case": row.case,
                "data-arm": result.arm,
                "aria-label": `${row.case}: ${result.text}`,
                title: result.arm,
                onclick: () => pick({ case: row.case, arm: result.arm }),
              },
              SIGNS[result.tone] + result.text,
            )
          : result.text,
      );
    const name = (row) =>
      node(
        "button",
        {
          type: "button",
          class: "hw-cell",
          "data-case": row.case,
          "data-arm": "*",
          title: "all arms",
          onclick: () => pick({ case: row.case, arm: "" }),
        },
        row.case,
      );
    return [
      heading("h3", "Cases", "reference/suites#reports"),
      node("p", { class: "hw-note" }, "Select a cell to see why, or a case to see all its runs."),
      wideTable(
        "Cases",
        ["case", ...value.arms],
        value.rows.map((row) =>
          node(
            "tr",
            {},
            node("th", { scope: "row" }, name(row)),
            row.cells.map((result) => cell(result, row)),
          ),
        ),
        " hw-matrix",
      ),
    ];
  };

  const open = (run) => triggerLatest("open_run", { run, case: "", arm: "" });
  // Sends a change of a run. The answer shows the list or the report, whichever is shown now.
  const change = (action, id, value = "") =>
    trigger("change_run", { action, id, value, place: shown ? "run" : "list" });
  const download = (id, form) =>
    trigger("download_report", { id, form, page: location.origin + location.pathname });

  const shareLink = (value) =>
    node(
      "div",
      { class: "hw-shared" },
      sharedLink("Link to this report", new URL("report/" + value.share_key, document.baseURI).href, () =>
        change("unshare", value.id),
      ),
    );

  const head = (value) => {
    const run = { id: value.id, title: value.title, tags: value.tags, is_shared: Boolean(value.share_key) };
    const title = node("span", { class: "hw-run-title" });
    const showTitle = () =>
      title.replaceChildren(
        node("h2", {}, value.title),
        node(
          "span",
          { class: "hw-tags" },
          value.tags.map((tag) => node("span", { class: "hw-tag" }, tag)),
        ),
      );
    showTitle();
    const edit = (label, text, action) =>
      editText(title, label, text, (changed) => change(action, value.id, changed), showTitle);
    /** @type {[boolean, SuiteRunEvents, string][]} */
    const actions = [
      [value.has_failed, "run_failing", "Run failing cases again"],
      [value.has_failed, "label_failing", "Add failing cases to labelling queue"],
      [value.has_passed, "keep_passed", "Keep passed rollouts as sessions"],
    ];
    return [
      node(
        "div",
        { class: "hw-run-head" },
        node("button", { type: "button", class: "hw-act", onclick: () => change("list", "") }, "All runs"),
        title,
        node("span", { class: "hw-note" }, value.note),
        menu("Download report", () => downloads(run, download), "save"),
        menu("Menu of the run", () => runActions(run, { edit, change })),
        value.can_resume
          ? node(
              "button",
              { type: "button", class: "hw-action", onclick: () => trigger("resume_run", { id: value.id }) },
              "Resume run",
            )
          : null,
        actions
          .filter(([isShown]) => isShown)
          .map(([, name, label]) =>
            node(
              "button",
              { type: "button", class: "hw-action", onclick: () => trigger(name, { id: value.id }) },
              label,
            ),
          ),
      ),
      value.share_key ? shareLink(value) : null,
    ];
  };

  // A button, a menu or a field that is replaced while it is used loses the click or the text.
  const isInUse = () =>
    isPressed || Boolean(element.querySelector(".hw-menu:not([hidden]), .hw-run-title input"));

  const draw = (value) => {
    isWaiting = false;
    const focused =
      document.activeElement && element.contains(document.activeElement)
        ? document.activeElement.dataset
        : {};
    element.replaceChildren(
      ...[
        head(value),
        value.tables.map(table),
        value.charts.map((each) => chart(each)),
        value.candidates.length ? candidates(value) : null,
        value.rows.length ? matrix(value) : null,
        value.failures ? table(value.failures) : null,
      ]
        .flat(Infinity)
        .filter(Boolean),
    );
    mark();
    // An update of a run in progress keeps the focus where it was.
    if (focused.act) element.querySelector(`[data-act="${focused.act}"]`)?.focus();
    if (focused.case)
      [...element.querySelectorAll(".hw-cell")]
        .find((cell) => cell.dataset.case === focused.case && cell.dataset.arm === focused.arm)
        ?.focus();
  };

  element.addEventListener("pointerdown", () => {
    isPressed = true;
  });

  const released = () =>
    setTimeout(() => {
      isPressed = false;
      if (isWaiting && element.isConnected && shown && !isInUse()) draw(shown);
    }, 0);

  document.addEventListener("pointerup", released);
  document.addEventListener("pointercancel", released);

  new ResizeObserver(() => {
    if (shown && element.isConnected) address();
  }).observe(element);

  const drawList = () => drawRunList(element, list, { open, change, download });

  router.onPlace("suites", (values, number) => {
    if (values.suite) {
      openRoom("write");
      return;
    }
    if (!values.run && !shown) return false;
    openRoom("runs");
    request = number;
    if (!values.run) return change("list", "");
    const { run, case: name = "", arm = "" } = values;
    if (!shown || shown.id !== run) return triggerLatest("open_run", { run, case: name, arm });
    pick(name ? { case: name, arm } : null);
    request = 0;
  });

  follow((value) => {
    if (!value) return shown || drawList();
    if (value.is_list) {
      list = value;
      if (value.is_look && shown) return;
      shown = null;
      picked = null;
      isListChosen = !value.is_look;
      if (isListChosen && (request || isVisible())) router.here("suites", {}, { request });
      request = 0;
      return drawList();
    }
    if (value.is_live && (shown ? shown.id !== value.id : isListChosen)) return;
    isListChosen = false;
    if (!shown || shown.id !== value.id) picked = null;
    shown = value;
    isWaiting = value.is_live && isInUse();
    if (!isWaiting) draw(value);
    if (value.picked) pick(value.picked);
    else address();
    if (!value.is_live) request = 0;
  });
};
