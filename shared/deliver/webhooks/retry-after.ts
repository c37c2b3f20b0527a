// Reads a receiver's Retry-After, which may prolong a wait to twice that of the schedule and never shorten it.

const HTTP_DATE = /^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? .*\d/

/**
 * Whole seconds that a Retry-After header (RFC 9110 §10.2.3: seconds or an HTTP date) asks to wait from `now` (ms), at
 * most twice the schedule's own `rowSeconds`; 0 when it is absent or cannot be read.
 */
export function retryAfterSeconds(header: string | undefined, now: number, rowSeconds: number): number {
  const seconds = /^\d+$/.test(header ?? '') ? Number(header) : Math.ceil((dateOf(header ?? '') - now) / 1_000)
  return seconds > 0 ? Math.min(seconds, 2 * rowSeconds) : 0
}

/** The three forms of an HTTP date are all in GMT; the oldest does not say so. NaN for anything else. */
function dateOf(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
}
