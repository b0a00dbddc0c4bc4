// The parts of lit-html that draw the page, with the types of `part.d.ts`.
type Handler = (event: PageEvent) => unknown;

export const html: (strings: TemplateStringsArray, ...values: (Drawable | Handler | object)[]) => Template;
export const nothing: unique symbol;
export const render: (value: Drawable, place: Element | DocumentFragment) => void;
export const repeat: <Row>(
  rows: readonly Row[],
  keyOf: (row: Row, index: number) => unknown,
  draw: (row: Row, index: number) => Drawable,
) => Drawable;
/** A value that is compared with what the element shows now, not with what was drawn last. */
export const live: (value: unknown) => Drawable;
