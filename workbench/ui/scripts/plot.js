// Parts of charts of rates: a frame from 0 to 100 %, shapes, confidence intervals and lines.

export const svg = (name, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

const FRAME = { left: 44, right: 586, top: 12, bottom: 168 };
// Positions in the frame, in pixels. x and y go from 0 to 1.
export const xOf = (x) => FRAME.left + 8 + (FRAME.right - FRAME.left - 20) * x;
export const yOf = (y) => FRAME.top + (FRAME.bottom - FRAME.top) * (1 - y);

const SHAPES = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 4.5 }),
  (x, y) => svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }),
  (x, y) => svg("path", { d: `M${x} ${y - 5.5}l5 9.5h-10z` }),
  (x, y) => svg("path", { d: `M${x} ${y - 6}l5.5 6-5.5 6-5.5-6z` }),
];

export const shape = (kind, x, y, isFull) => {
  const drawn = SHAPES[kind % SHAPES.length](x, y);
  drawn.setAttribute("fill", isFull ? "currentColor" : "var(--hw-ground)");
  drawn.setAttribute("stroke", "currentColor");
  drawn.setAttribute("stroke-width", 1.5);
  return drawn;
};

export const withTitle = (drawn, text) => {
  drawn.append(svg("title", {}, text));
  return drawn;
};

export const frame = (label, from, to) => {
  const drawn = svg("svg", { viewBox: "0 0 600 190", role: "img", "aria-label": label, class: "hw-plot" });
  for (const share of [0, 0.25, 0.5, 0.75, 1])
    drawn.append(svg("path", { d: `M${FRAME.left} ${yOf(share)}H${FRAME.right}`, class: "hw-grid" }));
  for (const share of [0, 0.5, 1])
    drawn.append(
      svg("text", { x: FRAME.left - 6, y: yOf(share) + 4, "text-anchor": "end" }, share * 100 + " %"),
    );
  drawn.append(
    svg("text", { x: FRAME.left, y: 185 }, from),
    svg("text", { x: FRAME.right, y: 185, "text-anchor": "end" }, to),
  );
  return drawn;
};

export const whisker = (x, low, high) =>
  svg("path", {
    d: `M${x} ${yOf(low)}V${yOf(high)}M${x - 3} ${yOf(low)}h6M${x - 3} ${yOf(high)}h6`,
    class: "hw-whisker",
  });

export const line = (points, name) =>
  svg("path", { d: "M" + points.map(([x, y]) => `${x} ${y}`).join("L"), class: name });
