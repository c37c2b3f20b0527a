// The colours of all pages, in light and dark mode. Text on `back` and on `card` has a contrast of at least 4.5 to 1.

const WHITE = '#ffffff'
const GREY = '#f3f5f8'

/** In dark mode the ground is always the darker one. */
const coloursOn = (back: string, card: string): string => `:root {
  color-scheme: light dark;
  --text: light-dark(#1b1f24, #e6e9ec);
  --soft: light-dark(#57606a, #9aa4ae);
  --back: light-dark(${back}, #0d1013);
  --card: light-dark(${card}, #16191d);
  --edge: light-dark(#d8dde3, #2d3238);
  --line: light-dark(#767d86, #8b949e);
  --accent: light-dark(#0b57d0, #a8c7fa);
  --alert: light-dark(#b3261e, #f2b8b5);
}`

/** For a form, which is on a white card. */
export const FORM_COLOURS = coloursOn(GREY, WHITE)

/** For pages to read, which are white. */
export const DOCUMENT_COLOURS = coloursOn(WHITE, GREY)
