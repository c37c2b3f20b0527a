// Matches the globs of policy scopes and conditions: `*` matches within one part between dots, `**` matches anything. It builds
// no regular expression, so a pattern cannot cost exponential time.

/** Whether the whole text matches. Backtracks only to the last star, so time grows with text length times pattern length. */
export function globMatches(pattern: string, text: string): boolean {
  let [p, t] = [0, 0]
  let star: { after: number; from: number } | undefined
  let globstar: { after: number; from: number } | undefined
  for (;;) {
    if (pattern.startsWith('**', p)) {
      p += 2
      globstar = { after: p, from: t }
      star = undefined
    } else if (pattern[p] === '*') {
      p += 1
      star = { after: p, from: t }
    } else if (t < text.length && pattern[p] === text[t]) {
      p += 1
      t += 1
    } else if (t === text.length && p === pattern.length) {
      return true
    } else if (star && star.from < text.length && text[star.from] !== '.') {
      star.from += 1
      ;[p, t] = [star.after, star.from]
    } else if (globstar && globstar.from < text.length) {
      globstar.from += 1
      star = undefined
      ;[p, t] = [globstar.after, globstar.from]
    } else return false
  }
}

/** Whether any of the globs matches; an empty list matches everything. */
export const scopeMatches = (globs: readonly string[], text: string | undefined): boolean =>
  globs.length === 0 || (text !== undefined && globs.some((glob) => globMatches(glob, text)))
