// The difference of two data sets.
import { node } from "../shared/dom.js";
import { rowCard } from "./row_preview.js";
import { wideTable } from "../shared/tables.js";

const change = ([place, kind, before, after]) =>
  node(
    "li",
    { class: "hw-set-change" },
    node("span", {}, place + " " + kind),
    before ? node("del", { class: "hw-mono" }, before) : null,
    after ? node("ins", { class: "hw-mono" }, after) : null,
  );

const changedRow = (row) =>
  node(
    "details",
    { class: "hw-made", open: true },
    node("summary", {}, node("strong", {}, row.title)),
    node("ul", { class: "hw-set-changes" }, row.changes.map(change)),
    row.more ? node("p", { class: "hw-note" }, row.more.toLocaleString("en") + " more changes") : null,
  );

const section = (title, rows, more, draw) =>
  rows.length
    ? [
        node("h3", {}, title),
        ...rows.map(draw),
        more
          ? node(
              "p",
              { class: "hw-note" },
              more.toLocaleString("en") + " more. The command workbench diff lists all of them.",
            )
          : "",
      ]
    : [];

/** @param {Part<SetDiffView>} part */
export const mount = ({ element, follow }) => {
  follow((value) => {
    if (!value) return element.replaceChildren();
    const card = (row) => rowCard(row, false);
    element.replaceChildren(
      node("h2", {}, value.title),
      node("p", { class: "hw-note", role: "status" }, value.note),
      ...(value.moved.length
        ? [
            node("h3", {}, "What moved"),
            wideTable(
              "What moved",
              ["figure", "before", "after", "difference"],
              value.moved.map((cells) =>
                node(
                  "tr",
                  {},
                  cells.map((cell) => node("td", {}, cell)),
                ),
              ),
              " hw-enums",
            ),
          ]
        : []),
      ...section("Changed rows", value.changed, value.more[0], changedRow),
      ...section("Removed rows", value.removed, value.more[1], card),
      ...section("Added rows", value.added, value.more[2], card),
    );
    if (element.getBoundingClientRect().top > window.innerHeight) element.scrollIntoView({ block: "start" });
  });
};
