// The list of runs, or the report of one: score cards, charts, the matrix of cases, failures. Its address names the run
// and the case. Events: `open_run`, `change_run`, `download_report`, `open_case`, `resume_run`,
// `run_failing`, `label_failing`, `keep_passed`, and those of a search: `compare_candidates`, `take_candidate`.
import { chart } from "../shared/charts.js";
import { editText, node, once, sharedLink } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { menu } from "../shared/menu.js";
import { candidateTree } from "./candidates.js";
import { drawRunList, tagChips } from "./run_list.js";
import { downloads, runActions } from "./run_menu.js";
import { SIGNS, table, wideTable } from "../shared/tables.js";
import { heading } from "../shared/heading.js";

// Opens one of the two rooms of the tab, which may not be drawn yet.
const openRoom = (/** @type {string} */ name, tries = 60) => {
  const button = document.querySelector(`#suites-rooms [data-tab-id=${name}]`);
  if (button?.getAttribute("aria-selected") === "true") return;
  button?.click();
  if (tries) setTimeout(openRoom, 50, name, tries - 1);
};

/** @param {Part<RunListView | SuiteRunView, SuiteRunEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  // The router's request that is being answered.
  let request = 0;
  /** @type {SuiteRunView | null} */
  let shown = null;
  /** @type {SelectedCase | null} */
  let picked = null;
  /** @type {RunListView} */
  let list = { rows: [], deleted: [], undo: null, is_look: true, is_list: true };
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
    router.here("suites", { run: shown.id, case: picked?.case ?? "", arm: picked?.arm ?? "" }, { request });

  const mark = () => {
    for (const cell of element.querySelectorAll(".hw-cell")) {
      const isPicked = cell.dataset.case === picked?.case && ["", cell.dataset.arm].includes(picked?.arm);
      cell.setAttribute("aria-pressed", String(picked !== null && isPicked));
    }
  };

  const pick = (/** @type {SelectedCase | null} */ chosen) => {
    picked = chosen;
    mark();
    address();
    triggerLatest("open_case", { run: shown?.id, case: picked?.case || "", arm: picked?.arm || "" });
  };

  const matrix = (/** @type {SuiteRunView} */ value) => {
    /** @param {string} kind @param {SelectedCase & { name: string }} place @param {string} title @param {string} text */
    const button = (kind, { name, ...place }, title, text) =>
      html`<button type="button" class="hw-cell${kind}" data-case=${place.case} data-arm=${place.arm || "*"}
        aria-label=${name} title=${title} @click=${() => pick(place)}>${text}</button>`;
    const row = (/** @type {RowView} */ { case: name, cells }) =>
      html`<tr><th scope="row">${button("", { case: name, arm: "", name }, "all arms", name)}</th>${cells.map(
        ({ arm, text, tone, count }) =>
          html`<td>${
            count
              ? button(" t-" + tone, { case: name, arm, name: `${name}: ${text}` }, arm, SIGNS[tone] + text)
              : text
          }</td>`,
      )}</tr>`;
    return html`${heading("h3", "Cases", "reference/suites#reports")}<p class="hw-note"
      >Select a cell to see why, or a case to see all its runs.</p>${wideTable(
        "Cases",
        ["case", ...value.arms],
        value.rows.map(row),
        " hw-matrix",
      )}`;
  };

  const open = (/** @type {string} */ run) => triggerLatest("open_run", { run, case: "", arm: "" });
  // Sends a change of a run. The answer shows the list or the report, whichever is shown now.
  const change = (/** @type {string} */ action, /** @type {string} */ id, value = "") =>
    trigger("change_run", { action, id, value, place: shown ? "run" : "list" });
  const download = (/** @type {string} */ id, /** @type {string} */ form) =>
    trigger("download_report", { id, form, page: location.origin + location.pathname });

  const head = (/** @type {SuiteRunView} */ value) => {
    const { id, tags, share_key: key } = value;
    const run = { id, title: value.title, tags, is_shared: Boolean(key) };
    const title = node("span", { class: "hw-run-title" });
    const showTitle = () => title.replaceChildren(once(html`<h2>${value.title}</h2>${tagChips(tags)}`));
    showTitle();
    /** @type {RunMenuWork["edit"]} */
    const edit = (label, text, action) =>
      editText(title, label, text, (changed) => change(action, id, changed), showTitle);
    /** @type {[boolean, SuiteRunEvents, string][]} */
    const actions = [
      [value.can_resume, "resume_run", "Resume run"],
      [value.has_failed, "run_failing", "Run failing cases again"],
      [value.has_failed, "label_failing", "Add failing cases to labelling queue"],
      [value.has_passed, "keep_passed", "Keep passed rollouts as sessions"],
    ];
    const link = new URL("report/" + key, document.baseURI).href;
    return html`<div class="hw-run-head"><button type="button" class="hw-act" @click=${() => change("list", "")}
      >All runs</button>${title}<span class="hw-note">${value.note}</span>${menu(
        "Download report",
        () => downloads(run, download),
        "save",
      )}${menu("Menu of the run", () => runActions(run, { edit, change }))}${actions
        .filter(([isShown]) => isShown)
        .map(
          ([, name, label]) =>
            html`<button type="button" class="hw-action" @click=${() => trigger(name, { id })}>${label}</button>`,
        )}</div>${
        key
          ? html`<div class="hw-shared">${sharedLink("Link to this report", link, () => change("unshare", id))}</div>`
          : ""
      }`;
  };

  // A button, a menu or a field that is replaced while it is used loses the click or the text.
  const isInUse = () =>
    isPressed || Boolean(element.querySelector(".hw-menu:not([hidden]), .hw-run-title input"));

  const draw = (/** @type {SuiteRunView} */ value) => {
    isWaiting = false;
    render(
      [
        head(value),
        value.tables.map(table),
        value.charts.map((each) => chart(each)),
        value.candidates.length ? candidates(value) : "",
        value.rows.length ? matrix(value) : "",
        value.failures ? table(value.failures) : "",
      ],
      element,
    );
    mark();
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
    if ("is_list" in value) {
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
