// A pane that is worked out only where someone looks: it asks by `name` once its message is seen. An answer about
// another message than the one that is wanted by now is asked for again.
const ask_when_seen = (name) => {
  let wanted = "";
  let is_asked = false;
  const ask = () => {
    if (!wanted || is_asked || element.offsetParent === null) return;
    is_asked = true;
    trigger(name, { id: wanted });
  };
  const look = () => {
    const value = props.value;
    if (!value || !value.message_id) wanted = "";
    else if (!value.is_known) wanted = value.message_id;
    else if (value.message_id === wanted) wanted = "";
    is_asked = false;
    ask();
  };
  new ResizeObserver(ask).observe(element);
  watch("value", look);
  look();
};
