// The queue of the Label tab. It is loaded in parts: those around the open session first, others when they come into
// view. The parts are joined to one list as long as they belong to the same queue and have no gap.
import { node } from "../shared/dom.js";
import { html, nothing, render, repeat } from "../shared/lit_html.js";

// How each state is shown.
/** @type {Record<string, string>} */
export const STATE_WORDS = { pending: "to do", draft: "started", done: "done", discarded: "rejected" };
/** @type {Record<string, string>} */
const MARKS = { pending: "·", draft: "–", done: "✓", discarded: "×" };
const PART = 50;

// The rows of two parts of a queue as one part; the newer one if there is a gap between them.
const joined = (/** @type {QueuePart | null} */ old, /** @type {QueuePart} */ part) => {
  const end = part.first + part.rows.length;
  if (!old || part.first > old.first + old.rows.length || end < old.first) return part;
  const before = old.rows.slice(0, Math.max(0, part.first - old.first));
  const after = old.rows.slice(Math.max(0, end - old.first));
  return { first: Math.min(old.first, part.first), rows: [...before, ...part.rows, ...after] };
};

/** @param {Desk} desk */
export const addQueue = (desk) => {
  const { state } = desk;
  const list = node("ul", { class: "hw-sessions", "aria-label": "Queue" });

  // What makes two parts belong to the same queue.
  const nameOfQueue = () => JSON.stringify([state.seat, state.filter]);
  /** @type {{ name: string; total: number; first: number; rows: any[] } | null} */
  /** @type {(QueuePart & { name: string; total: number }) | null} */
  let loaded = null;

  // Replaces the rows of a value by all rows that are loaded of its queue.
  const joinRows = (/** @type {LabelTabView} */ value) => {
    const name = nameOfQueue();
    const old = loaded && loaded.name === name && loaded.total === value.total ? loaded : null;
    loaded = { ...joined(old, value), name, total: value.total };
    value.first = loaded.first;
    value.rows = loaded.rows;
  };

  const hasMore = () => state.view && desk.view().first + desk.view().rows.length < desk.view().total;

  const load = (/** @type {number} */ first) => {
    if (state.first !== null) return;
    state.first = first;
    desk.refresh();
  };
  const loadAfter = () => hasMore() && load(desk.view().first + desk.view().rows.length);
  const loadBefore = () => desk.view().first > 0 && load(Math.max(0, desk.view().first - PART));

  const moreButton = (/** @type {string} */ text, /** @type {() => false | void | null} */ work) =>
    node("button", { type: "button", class: "hw-act hw-more", onclick: work }, text);
  const more = moreButton("Show more", loadAfter);
  const earlier = moreButton("Show earlier", loadBefore);
  new IntersectionObserver((seen) => {
    if (seen.at(-1)?.isIntersecting && !more.hidden) loadAfter();
  }).observe(more);

  const rowItem = (/** @type {QueueRow} */ row, /** @type {number} */ place) => {
    const word = STATE_WORDS[desk.stateOf(row)];
    return html`<li><button type="button" class="hw-session" data-id=${row.id}
      title=${[row.title, row.facts.join(" · ")].filter(Boolean).join("\n")}
      aria-current=${row.id === state.session ? "true" : nothing} @click=${() => desk.go(row.id)}>
        <span class="hw-place">${desk.view().first + place + 1}</span>
        <span class="hw-row-text"><span class="hw-title">${row.title}</span>${
          row.facts.length
            ? html`<span class="hw-note hw-row-facts">${row.facts.map((fact) => html`<span>${fact}</span>`)}</span>`
            : ""
        }</span>
        <span class="hw-note" title=${word} role="img" aria-label=${word}>${MARKS[desk.stateOf(row)]}</span>
      </button></li>`;
  };

  let current = "";
  const drawQueue = () => {
    render(
      repeat(desk.view().rows, (row) => row.id, rowItem),
      list,
    );
    more.hidden = !hasMore();
    earlier.hidden = desk.view().first === 0;
    if (current === state.session) return;
    current = state.session;
    const open = list.querySelector("[aria-current=true]");
    if (open && list.offsetParent !== null) open.scrollIntoView({ block: "nearest" });
  };

  // Opens the session below or above the open one. The server knows those that are not loaded.
  const neighbour = (/** @type {number} */ by) => {
    const rows = desk.view().rows;
    const place = rows.findIndex((row) => row.id === state.session);
    const next = rows.slice(place + by).find((row) => row.id !== state.session);
    if (by > 0 && place >= 0 && next) return desk.leave(() => desk.show(next.id));
    if (by < 0 && place > 0) return desk.leave(() => desk.show(rows[place - 1].id));
    if (!state.session) return;
    desk.leave(() => desk.showNextOf(state.session, by));
  };

  Object.assign(desk, { queueParts: [earlier, list, more], joinRows, drawQueue, neighbour });
};
