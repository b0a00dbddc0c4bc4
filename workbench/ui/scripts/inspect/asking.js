// A pane whose content is computed only when someone looks at it. It draws what it has and, once it is visible,
// triggers `name` to request the rest. An answer about a message that is no longer shown is not drawn.

/** @type {<View extends AskedView, Name extends string>(part: Part<View, Name>, name: Name, draw: Draw<View>) => void} */
export const followAsked = ({ element, follow, trigger }, name, draw) => {
  /** @type {string | null} */
  let shown = null;
  let isAsked = false;
  const ask = () => {
    if (!shown || isAsked || element.offsetParent === null) return;
    isAsked = true;
    trigger(name, { id: shown });
  };
  follow((value) => {
    const id = value ? value.message_id : "";
    const isAnswer = Boolean(id) && value !== null && value.is_known;
    if (isAnswer && shown !== null && id !== shown) return;
    shown = id;
    isAsked = isAnswer;
    draw(value);
    ask();
  });
  new ResizeObserver(ask).observe(element);
};
