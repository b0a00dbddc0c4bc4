// A pane that is worked out only where someone looks: it is drawn as it is known, and asks by `name` for the rest once
// its message is seen. An answer about another message than the one that is shown comes too late, and is not drawn.
const follow_asked = (name, draw) => {
  let shown = null;
  let is_asked = false;
  const ask = () => {
    if (!shown || is_asked || element.offsetParent === null) return;
    is_asked = true;
    trigger(name, { id: shown });
  };
  follow((value) => {
    const id = value ? value.message_id : "";
    const is_answer = Boolean(id) && value.is_known;
    if (is_answer && shown !== null && id !== shown) return;
    shown = id;
    is_asked = is_answer;
    draw(value);
    ask();
  });
  new ResizeObserver(ask).observe(element);
};
