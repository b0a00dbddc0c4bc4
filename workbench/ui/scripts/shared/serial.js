// Handles numbered values. Each new value is handled once; the one that the page was loaded with is not.

export const followNew = (follow, work) => {
  let last;
  follow((value) => {
    const serial = value ? value.serial : null;
    const isNew = last !== undefined && value && serial !== last;
    if (last === undefined || isNew) last = serial;
    if (isNew) return work(value);
  });
};
