// The completion in progress. Event: `watch_turn` to watch a turn of the open session, with its id, or with an empty id
// for whichever turn is running.
import { node, pieces } from "../shared/dom.js";

// Another tab of this browser says here that it has started a turn.
const CHANNEL = "hermes-workbench:turns";
// A page that was hidden for this long asks whether a turn was started elsewhere, such as on another device.
const AWAY_MS = 3000;

// A page without storage, such as in a sandboxed frame, only hears of its own turns.
/** @returns {Pick<BroadcastChannel, "postMessage" | "close" | "onmessage">} */
const openChannel = () => {
  try {
    return new BroadcastChannel(CHANNEL);
  } catch {
    return { postMessage: () => {}, close: () => {}, onmessage: null };
  }
};

const sessionOfAddress = () => new URLSearchParams(location.search).get("session") || "";

/** @param {Part<LiveView, LiveEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  const block = element.closest("#play-live") || element;
  const text = node("pre", { class: "hw-live-text" });
  const caret = node("span", { class: "hw-caret", "aria-hidden": "true" });
  const note = node("span", { class: "hw-note", role: "status" });
  const channel = openChannel();
  let isLive = false;
  let started = "";
  let hiddenAt = 0;

  element.replaceChildren(
    node("span", { class: "hw-role" }, "model"),
    node("div", { class: "hw-body" }, text, note),
  );

  channel.onmessage = ({ data }) => {
    if (!element.isConnected) return channel.close();
    if (!isLive && data.session && data.session === sessionOfAddress())
      trigger("watch_turn", { turn: data.turn });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = Date.now();
    else if (element.isConnected && !isLive && sessionOfAddress() && Date.now() - hiddenAt > AWAY_MS)
      trigger("watch_turn", { turn: "" });
  });

  follow((value) => {
    isLive = value !== null && value.is_live;
    block.classList.toggle("is-live", isLive);
    if (!value?.is_live) {
      text.replaceChildren();
      note.textContent = "";
      return;
    }
    if (value.follow) {
      if (value.follow !== started) channel.postMessage({ session: value.session, turn: value.follow });
      started = value.follow;
      trigger("watch_turn", { turn: value.follow });
    }
    const wasAtEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 40;
    text.replaceChildren(...pieces(value.pieces), caret);
    note.textContent = value.note;
    if (wasAtEnd) text.scrollTop = text.scrollHeight;
  });
};
