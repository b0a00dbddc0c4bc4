// A run of suites: score cards, a chart and the matrix of cases. Its address names the run and the case.
// Events: `open_run`, `open_case`, `resume_run`, `label_failing`.
import { frame, line, shape, svg, whisker, withTitle, xOf, yOf } from "./plot.js";
import { hint, node } from "./dom.js";
import { SIGNS, table, wideTable } from "./tables.js";

const picture = (value) => {
  const drawn = frame("Pass rate by prompt tokens, with the Pareto front", "0", value.most_tokens);
  const front = value.dots.filter((dot) => dot.is_on_front).sort((left, right) => left.x - right.x);
  if (front.length > 1)
    drawn.append(
      line(
        front.map((dot) => [xOf(dot.x), yOf(dot.y)]),
        "hw-front",
      ),
    );
  value.dots.forEach((dot, place) => {
    const x = xOf(dot.x);
    const y = yOf(dot.y);
    drawn.append(
      whisker(x, dot.low, dot.high),
      withTitle(shape(0, x, y, dot.is_on_front), dot.label),
      svg("text", { x: x + 8, y: Math.max(y - 6, 20) }, String(place + 1)),
    );
  });
  return [
    node("h3", {}, "Pass rate by prompt tokens"),
    drawn,
    node(
      "ol",
      { class: "hw-note hw-dots" },
      value.dots.map((dot) => node("li", {}, (dot.is_on_front ? "● " : "○ ") + dot.label)),
    ),
  ];
};

// Opens one of the two rooms of the tab, which may not be drawn yet.
const openRoom = (name, tries = 60) => {
  const button = document.querySelector(`#suites-rooms [data-tab-id=${name}]`);
  if (button?.getAttribute("aria-selected") === "true") return;
  button?.click();
  if (tries) setTimeout(openRoom, 50, name, tries - 1);
};

export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  // The router's request that is being answered.
  let request = 0;
  let shown = null;
  let picked = null;
  let isPressed = false;
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
    trigger("open_case", { run: shown.id, case: picked?.case || "", arm: picked?.arm || "" });
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
      node("h3", {}, "Cases"),
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

  const head = (value) =>
    node(
      "div",
      { class: "hw-run-head" },
      node("h2", {}, value.title),
      node("span", { class: "hw-note" }, value.note),
      value.can_resume
        ? node(
            "button",
            { type: "button", class: "hw-action", onclick: () => trigger("resume_run", { id: value.id }) },
            "Resume run",
          )
        : null,
      value.rows.some((row) => row.cells.some((result) => result.tone === "bad"))
        ? node(
            "button",
            { type: "button", class: "hw-action", onclick: () => trigger("label_failing", { id: value.id }) },
            "Add failing cases to labelling queue",
          )
        : null,
    );

  const draw = (value) => {
    const focused =
      document.activeElement && element.contains(document.activeElement)
        ? document.activeElement.dataset
        : {};
    element.replaceChildren(
      ...[
        head(value),
        value.tables.map(table),
        value.dots.length ? picture(value) : null,
        value.rows.length ? matrix(value) : null,
      ]
        .flat(Infinity)
        .filter(Boolean),
    );
    mark();
    // An update of a run in progress keeps the focus where it was.
    if (focused.case)
      [...element.querySelectorAll(".hw-cell")]
        .find((cell) => cell.dataset.case === focused.case && cell.dataset.arm === focused.arm)
        ?.focus();
  };

  // A button that is replaced while it is pressed loses the click, so updates wait until the pointer is released.
  element.addEventListener("pointerdown", () => {
    isPressed = true;
  });

  const released = () =>
    setTimeout(() => {
      if (isPressed && element.isConnected && shown) {
        isPressed = false;
        draw(shown);
      }
    }, 0);

  document.addEventListener("pointerup", released);
  document.addEventListener("pointercancel", released);

  new ResizeObserver(() => {
    if (shown && element.isConnected) address();
  }).observe(element);

  router.onPlace("suites", (values, number) => {
    if (values.suite) openRoom("write");
    if (!values.run) return Boolean(values.suite);
    openRoom("runs");
    request = number;
    const { run, case: name = "", arm = "" } = values;
    if (!shown || shown.id !== run) return triggerLatest("open_run", { run, case: name, arm });
    pick(name ? { case: name, arm } : null);
    request = 0;
  });

  follow((value) => {
    if (!value) {
      element.replaceChildren(
        hint(
          "A suite is a list of cases, each with its expectations. Select a suite and the contracts to compare, and run it. The table shows the pass rates, how certain they are, and how many tokens a prompt takes.",
        ),
      );
      return;
    }
    if (value.is_live && shown && shown.id !== value.id) return;
    if (!shown || shown.id !== value.id) picked = null;
    shown = value;
    if (!value.is_live || !isPressed) draw(value);
    if (value.picked) pick(value.picked);
    else address();
    if (!value.is_live) request = 0;
  });
};
