// A pane that is worked out only where someone looks: it is drawn as it is known, and asks by `name` for the rest once
// its message is seen. An answer about another message than the one that is shown comes too late, and is not drawn.
export const followAsked = ({ element, follow, trigger }, name, draw) => {
  let shown = null;
  let isAsked = false;
  const ask = () => {
    if (!shown || isAsked || element.offsetParent === null) return;
    isAsked = true;
    trigger(name, { id: shown });
  };
  follow((value) => {
    const id = value ? value.message_id : "";
    const isAnswer = Boolean(id) && value.is_known;
    if (isAnswer && shown !== null && id !== shown) return;
    shown = id;
    isAsked = isAnswer;
    draw(value);
    ask();
  });
  new ResizeObserver(ask).observe(element);
};
