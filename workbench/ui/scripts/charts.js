// Charts, drawn by a library that the page loads with the first chart.
import { node } from "./dom.js";

let library = null;
const load = () => {
  library ||= import(new URL(window.hermesWorkbench.chartsAddress, document.baseURI));
  return library;
};

// A chart with its heading, and its figures as text. `note` may be empty.
export const chart = (value, note = "") => {
  const place = node("div", { class: "hw-chart" });
  let width = 0;
  const draw = async () => {
    const { drawChart } = await load();
    width = place.clientWidth;
    if (width) place.replaceChildren(drawChart(value, width));
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
        value.marks.map((mark) =>
          node("li", {}, value.kind === "points" ? (mark.is_full ? "● " : "○ ") + mark.label : mark.label),
        ),
      ),
    ),
  ];
};
