// What a receiver's Retry-After may ask for: more time than the schedule gives, up to twice as much, and never less.

const HTTP_DATE = /^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? .*\d/

/**
 * Whole seconds that a Retry-After header (RFC 9110 §10.2.3: seconds or an HTTP date) asks to wait from `now` (ms), at
 * most twice the schedule's own `rowSeconds`; 0 where it asks for nothing or cannot be read.
 */
export function retryAfterSeconds(header: string | undefined, now: number, rowSeconds: number): number {
  const asked = /^\d+$/.test(header ?? '') ? Number(header) : Math.ceil((dateOf(header ?? '') - now) / 1_000)
  return asked > 0 ? Math.min(asked, 2 * rowSeconds) : 0
}

/** The three forms of an HTTP date are all in GMT; the oldest does not say so. NaN for anything else. */
function dateOf(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}
