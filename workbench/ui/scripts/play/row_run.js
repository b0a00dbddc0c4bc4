// The button "Run over rows" and its window: one message over many rows of variables. Events: `row_act`, `row_run`.
import { node } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { tableHead } from "../shared/tables.js";
import { store, stored } from "../shared/storage.js";

const KEY = "hermes-workbench:rows";
const WAIT_MS = 400;
const MOST_BYTES = 2_000_000;

// Reads a file as UTF-8 text. Throws an Error that says in which line another encoding begins.
const textOf = async (/** @type {File} */ file) => {
  if (file.size > MOST_BYTES) throw new Error(file.name + " is larger than 2 MB. Split it.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encoding = !isUtf16 ? "utf-8" : bytes[0] === 0xff ? "utf-16le" : "utf-16be";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const line = new TextDecoder(encoding)
      .decode(bytes)
      .split("\n")
      .findIndex((text) => text.includes("\ufffd"));
    throw new Error(
      `${file.name}, line ${line + 1}: not UTF-8 text (save the file as UTF-8, for example as “CSV UTF-8”)`,
    );
  }
};

/** @param {Part<RowWindowView, RowRunEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  let runId = "";
  let isRunning = false;
  let checkNumber = 0;
  let waiting = 0;
  let isReady = false;

  const message = node("textarea", {
    class: "hw-input",
    id: "play-rows-message",
    rows: 3,
    spellcheck: "false",
    placeholder: "What is the weather in {{ city }}?",
  });
  const rows = node("textarea", {
    class: "hw-input hw-mono",
    id: "play-rows-text",
    rows: 8,
    spellcheck: "false",
    placeholder: "city,tone\nRome,formal\nOslo,friendly",
  });
  const file = node("input", {
    type: "file",
    accept: ".csv,.tsv,.txt,.jsonl,.json,text/csv",
    hidden: true,
    "aria-label": "File of rows",
  });
  const note = node("p", { class: "hw-note", role: "status" });
  const problem = node("p", { class: "hw-line t-error", role: "alert", hidden: true });
  const warnings = node("div", {});
  const answer = node("p", { class: "hw-line", role: "status", hidden: true });

  /** @param {string} label @param {() => void} onclick */
  const button = (label, onclick, more = {}) =>
    node("button", { type: "button", class: "hw-button", onclick, ...more }, label);

  const start = button("Run rows", () => run("start"), { disabled: true });
  const stop = button("Stop", () => act("stop", { id: runId }), { hidden: true });
  const resume = button("Run what is missing", () => run("resume"), { hidden: true });

  const name = node("input", {
    type: "text",
    class: "hw-input",
    "aria-label": "Name of the suite",
    maxlength: 100,
  });
  const naming = node(
    "span",
    { class: "hw-rows-naming", hidden: true },
    name,
    button("Save suite", () => save()),
  );
  const saveAs = button("Save as suite…", () => {
    naming.hidden = !naming.hidden;
    if (!naming.hidden) name.focus();
  });
  const downloads = node(
    "span",
    { class: "hw-rows-downloads", hidden: true },
    button("Download CSV", () => act("csv", { id: runId })),
    button("Download JSONL", () => act("jsonl", { id: runId })),
  );

  const save = () => {
    if (!name.value.trim()) return name.focus();
    act("save", { ...form(), name: name.value });
    naming.hidden = true;
  };
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      save();
    }
  });

  const progress = node("progress", { max: 1, value: 0, "aria-label": "Rows done", hidden: true });
  const state = node("p", { class: "hw-note", role: "status" });
  const table = node("div", { class: "hw-rows-table", tabindex: 0, role: "region", "aria-label": "Answers" });

  const dialog = node(
    "dialog",
    { class: "hw-dialog hw-rows", "aria-label": "Run over rows" },
    html`<div class="hw-rows-head"><h2>Run over rows</h2>${button("Close", () => dialog.close())}</div>
      <p class="hw-note">Runs one message for each row, with the setup of Play. Columns fill {{ name }} in the message,
        and the variables of the contract.</p>
      <div class="hw-rows-form"><label for="play-rows-message">Message for each row</label>${message}<label
        for="play-rows-text">Rows as CSV, cells of a spreadsheet, or JSON lines</label>${[
          rows,
          file,
          note,
          problem,
          warnings,
        ]}<div class="hw-rows-acts">${[
          button("Choose file", () => file.click()),
          start,
          stop,
          resume,
          saveAs,
          naming,
          downloads,
        ]}</div>${answer}</div>${[progress, state, table]}`,
  );

  const open = button("Run over rows", () => show(), { id: "play-rows-open", class: "hw-act" });
  element.replaceChildren(open, dialog);

  const form = () => ({ message: message.value, rows: rows.value });
  const keep = () => store(KEY, { ...form(), run: runId });
  const act = (/** @type {string} */ action, /** @type {object} */ data) =>
    trigger("row_act", { action, ...data });

  const showProblem = (/** @type {string} */ text) => {
    problem.textContent = text;
    problem.hidden = !text;
  };

  const say = (/** @type {string} */ text, /** @type {boolean} */ isProblem) => {
    answer.textContent = text;
    answer.className = "hw-line" + (isProblem ? " t-error" : "");
    answer.hidden = !text;
  };

  const updateButtons = () => {
    start.disabled = !isReady || isRunning;
    saveAs.disabled = !isReady;
    stop.hidden = !isRunning;
    downloads.hidden = !runId;
  };

  const check = () => {
    clearTimeout(waiting);
    isReady = false;
    updateButtons();
    waiting = setTimeout(() => {
      checkNumber += 1;
      act("check", { ...form(), number: checkNumber });
    }, WAIT_MS);
  };

  const run = (/** @type {string} */ mode) => {
    say("", false);
    if (mode === "start") render("", table);
    isRunning = mode !== "watch";
    updateButtons();
    trigger("row_run", { mode, id: mode === "start" ? "" : runId, ...(mode === "start" ? form() : {}) });
  };

  const show = () => {
    const kept = stored(KEY) || {};
    if (!message.value) {
      const composer = document.querySelector("#play-composer textarea");
      message.value = kept.message || (composer ? composer.value : "");
    }
    if (!rows.value) rows.value = kept.rows || "";
    if (!runId && kept.run) {
      runId = kept.run;
      run("watch");
    }
    dialog.showModal();
    check();
    rows.focus();
  };

  for (const field of [message, rows])
    field.addEventListener("input", () => {
      keep();
      check();
    });

  file.addEventListener("change", async () => {
    if (!file.files.length) return;
    try {
      rows.value = await textOf(file.files[0]);
      keep();
      check();
    } catch (error) {
      showProblem(error instanceof Error ? error.message : String(error));
    }
    file.value = "";
  });

  // Keys of the page do not work while the window is open.
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!start.disabled) run("start");
    }
    event.stopPropagation();
  });

  const drawCheck = (/** @type {RowCheckView} */ value) => {
    if (value.number && value.number !== checkNumber) return;
    isReady = Boolean(value.note);
    note.textContent = value.first ? value.note + " · first: " + value.first : value.note;
    showProblem(value.problem);
    render(
      value.warnings.map(
        (text) =>
          html`<p class="hw-line t-warning"><span class="hw-word">note</span><span>${text}</span></p>`,
      ),
      warnings,
    );
  };

  const line = (/** @type {RowLineView} */ row) =>
    html`<tr class="is-${row.state}"><th scope="row">${
      row.session ? html`<a href=${row.session} target="_blank">${row.number}</a>` : row.number
    }</th>${row.cells.map((text) => html`<td>${text}</td>`)}<td
      class=${row.state === "error" ? "t-error" : "hw-rows-answer"}>${row.state === "waiting" ? "…" : row.answer}</td><td
      class="hw-mono">${row.calls}</td><td class="s-fix">${row.findings}</td><td>${row.seconds}</td></tr>`;

  const drawRun = (/** @type {RowRunView} */ value) => {
    runId = value.id;
    isRunning = value.is_running;
    keep();
    state.textContent = value.note;
    progress.value = value.share;
    progress.hidden = !value.is_running;
    resume.hidden = !value.can_resume;
    const heads = ["Row", ...value.columns, "Answer", "Calls", "Fixes and findings", "Time"];
    render(html`<table>${tableHead(heads)}<tbody>${value.rows.map(line)}</tbody></table>`, table);
  };

  follow((value) => {
    if (!value) return;
    if (value.check) drawCheck(value.check);
    if (value.run) drawRun(value.run);
    if (value.message) {
      say(value.message, value.is_problem);
      // A run that could not be started or followed.
      if (value.is_problem && !value.run) isRunning = false;
    }
    updateButtons();
  });
};
