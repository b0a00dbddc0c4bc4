// Handles numbered values. Each new value is handled once; the one that the page was loaded with is not.

/** @type {<View extends { serial: number }>(follow: Part<View>["follow"], work: (value: View) => void) => void} */
export const followNew = (follow, work) => {
  /** @type {number | null | undefined} */
  let last;
  follow((value) => {
    const serial = value ? value.serial : null;
    const isNew = last !== undefined && value && serial !== last;
    if (last === undefined || isNew) last = serial;
    if (isNew) return work(value);
  });
};
