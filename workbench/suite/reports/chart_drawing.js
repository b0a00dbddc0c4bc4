// Draws charts of reports with Observable Plot. The HTML report and the page use the same code.
/* global Plot */
/* exported drawChart */
const drawChart = (() => {
  const SYMBOLS = ["circle", "square", "triangle", "diamond2", "times", "plus", "star", "wye"];
  const style = {
    background: "none",
    color: "inherit",
    font: "12px/1.4 system-ui, sans-serif",
    overflow: "visible",
  };
  const percent = (share) => Math.round(share * 100) + " %";
  const rate = { domain: [0, 1], ticks: 5, tickFormat: percent, label: null };

  // Several series get symbols with a legend; a single one needs none.
  const symbols = (chart) =>
    chart.series.length > 1
      ? {
          symbol: {
            domain: chart.series,
            range: chart.series.map((_, at) => SYMBOLS[at % SYMBOLS.length]),
            legend: true,
          },
        }
      : {};

  const symbolOf = (chart) => (chart.series.length > 1 ? { symbol: "series" } : {});
  const titled = { title: "label", stroke: "currentColor", strokeWidth: 1.5, r: 4.5 };
  const interval = { stroke: "currentColor", strokeOpacity: 0.5, strokeWidth: 1.5 };
  const names = (width) => ({
    label: null,
    tickSize: 0,
    lineWidth: (width * 0.31) / 12,
    textOverflow: "ellipsis",
  });
  const withFill = (chart, mark) =>
    Plot.dot(chart.marks, { ...mark, fill: (item) => (item.is_full ? "currentColor" : "none") });

  const KINDS = {
    // Rates with confidence intervals: a row for each category, and in it a line for each series.
    rates: (chart, width) => {
      const isSingle = chart.series.length < 2;
      const row = isSingle ? { y: "category" } : { fy: "category", y: "series" };
      const categories = [...new Set(chart.marks.map((mark) => mark.category))];
      const size = isSingle ? 26 : 12 + 16 * chart.series.length;
      return {
        height: 40 + categories.length * size,
        marginLeft: width * 0.36,
        marginRight: 24,
        x: { ...rate, grid: true },
        y: isSingle ? { domain: categories, label: null, axis: null } : { domain: chart.series, axis: null },
        ...(isSingle ? {} : { fy: { domain: categories, axis: null } }),
        ...symbols(chart),
        marks: [
          isSingle ? Plot.axisY(names(width)) : Plot.axisFy(names(width)),
          Plot.ruleY(chart.marks, { ...row, x1: "low", x2: "high", ...interval }),
          withFill(chart, { ...row, x: "y", ...symbolOf(chart), ...titled }),
        ].filter(Boolean),
      };
    },
    // Rates by a number, with the line of the best points.
    points: (chart) => {
      const best = chart.marks.filter((mark) => mark.is_full).sort((left, right) => left.x - right.x);
      return {
        height: 240,
        marginLeft: 48,
        marginRight: 24,
        marginBottom: 40,
        x: {
          domain: [0, Math.max(1, ...chart.marks.map((mark) => mark.x)) * 1.05],
          label: chart.x_label,
          labelAnchor: "right",
        },
        y: { ...rate, grid: true },
        marks: [
          Plot.ruleX(chart.marks, { x: "x", y1: "low", y2: "high", ...interval }),
          best.length > 1
            ? Plot.line(best, { x: "x", y: "y", stroke: "currentColor", strokeDasharray: "4 3" })
            : null,
          withFill(chart, { x: "x", y: "y", ...titled }),
          Plot.text(chart.marks, {
            x: "x",
            y: "y",
            text: (_, at) => String(at + 1),
            dx: 9,
            dy: -8,
            fill: "currentColor",
          }),
        ].filter(Boolean),
      };
    },
    // Rates over time, a line for each series.
    courses: (chart) => {
      const marks = chart.marks.map((mark) => ({ ...mark, at: new Date(mark.x) }));
      return {
        height: 220,
        marginLeft: 48,
        marginRight: 24,
        x: { type: "utc", label: null },
        y: { ...rate, grid: true },
        ...symbols(chart),
        marks: [
          Plot.ruleX(marks, { x: "at", y1: "low", y2: "high", ...interval }),
          Plot.line(marks, { x: "at", y: "y", z: "series", stroke: "currentColor", strokeOpacity: 0.6 }),
          withFill({ marks }, { x: "at", y: "y", ...symbolOf(chart), ...titled }),
        ],
      };
    },
    // Numbers, a bar for each category.
    counts: (chart, width) => ({
      height: 16 + chart.marks.length * 24,
      marginTop: 4,
      marginBottom: 12,
      marginLeft: width * 0.36,
      marginRight: 64,
      x: { axis: null },
      y: { domain: chart.marks.map((mark) => mark.category), axis: null },
      marks: [
        Plot.axisY(names(width)),
        Plot.barX(chart.marks, {
          x: "y",
          y: "category",
          title: "label",
          fill: (mark) => (mark.is_full ? "currentColor" : "none"),
          stroke: "currentColor",
          fillOpacity: 0.65,
          strokeOpacity: 0.65,
        }),
        Plot.text(chart.marks, {
          x: "y",
          y: "category",
          text: (mark) => mark.y.toLocaleString("en"),
          textAnchor: "start",
          dx: 6,
          fill: "currentColor",
        }),
      ],
    }),
  };

  // Returns the chart as an element of this width in pixels.
  return (chart, width) => {
    const drawn = Plot.plot({ width, style, ariaLabel: chart.title, ...KINDS[chart.kind](chart, width) });
    // The page makes bars clickable, and finds them by this attribute.
    for (const bars of drawn.querySelectorAll('g[aria-label="bar"]')) bars.dataset.bars = "";
    for (const picture of [drawn, ...drawn.querySelectorAll("svg")])
      if (picture.matches("svg")) {
        picture.setAttribute("role", "img");
        picture.setAttribute("aria-label", chart.title);
        // What a chart shows is also in a table; its parts are not read out one by one.
        picture.querySelectorAll("[aria-label], [aria-description]").forEach((part) => {
          part.removeAttribute("aria-label");
          part.removeAttribute("aria-description");
        });
      }
    return drawn;
  };
})();
