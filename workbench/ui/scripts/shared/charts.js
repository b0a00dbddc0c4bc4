// Charts, drawn by a library that the page loads with the first chart.
import { node } from "./dom.js";
import { html } from "./lit_html.js";

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
/** @type {(value: Chart, note?: string, pick?: ((at: number) => void) | null) => Template} */
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
  const figure = (/** @type {ChartMark} */ { label, is_full: isFull }, /** @type {number} */ at) =>
    pick
      ? html`<button type="button" class="hw-figure" @click=${() => pick(at)}>${label}</button>`
      : value.kind === "points"
        ? (isFull ? "● " : "○ ") + label
        : label;
  return html`<h3>${value.title}</h3>${note ? html`<p class="hw-note">${note}</p>` : ""}${place}<details
    class="hw-chart-figures"><summary>Show figures</summary><ol class="hw-note hw-dots">${value.marks.map(
      (mark, at) => html`<li>${figure(mark, at)}</li>`,
    )}</ol></details>`;
};
