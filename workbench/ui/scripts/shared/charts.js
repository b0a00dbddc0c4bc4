// Charts, drawn by a library that the page loads with the first chart.
import { node } from "./dom.js";

/** @type {Promise<any> | null} */
let library = null;
const load = () => {
  library ||= import(new URL(window.hermesWorkbench.chartsAddress, document.baseURI).href);
  return library;
};

// Makes the bars of a chart open what is behind them. The figures below the chart do the same by keyboard.
const pickBars = (/** @type {Element} */ place, /** @type {(at: number) => void} */ pick) =>
  place.querySelectorAll("[data-bars] rect").forEach((bar, at) => {
    bar.classList.add("hw-picked-bar");
    bar.addEventListener("click", () => pick(at));
  });

// A chart with its heading, and its figures as text. `note` may be empty. With `pick`, a click on a bar or on its figure
// calls `pick(index)`.
/** @type {(value: Chart, note?: string, pick?: ((at: number) => void) | null) => Drawable[]} */
export const chart = (value, note = "", pick = null) => {
  const place = node("div", { class: "hw-chart" });
  let width = 0;
  const draw = async () => {
    const { drawChart } = await load();
    width = place.clientWidth;
    if (!width) return;
    place.replaceChildren(drawChart(value, width));
    if (pick) pickBars(place, pick);
  };
  new ResizeObserver(() => {
    if (place.clientWidth && place.clientWidth !== width) draw();
  }).observe(place);
  return [
    node("h3", {}, value.title),
    note ? node("p", { class: "hw-note" }, note) : null,
    place,
    node(
      "details",
      { class: "hw-chart-figures" },
      node("summary", {}, "Show figures"),
      node(
        "ol",
        { class: "hw-note hw-dots" },
        value.marks.map((mark, at) =>
          node(
            "li",
            {},
            pick
              ? node("button", { type: "button", class: "hw-figure", onclick: () => pick(at) }, mark.label)
              : value.kind === "points"
                ? (mark.is_full ? "● " : "○ ") + mark.label
                : mark.label,
          ),
        ),
      ),
    ),
  ];
};
