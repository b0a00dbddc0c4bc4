// A pane that is worked out only where someone looks: it asks by `name` once its message is seen.
const ask_when_seen = (name) => {
  let is_asked = false;
  const ask = () => {
    const value = props.value;
    if (!value || !value.message_id || value.is_known || is_asked || element.offsetParent === null) return;
    is_asked = true;
    trigger(name, { id: value.message_id });
  };
  new ResizeObserver(ask).observe(element);
  watch("value", () => {
    is_asked = false;
    ask();
  });
  ask();
};
