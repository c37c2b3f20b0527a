// A place in a text, in UTF-16 code units, with the helpers of all detectors.

export type Span = { start: number; end: number }

/** Returns the spans that a detector finds. `key` is the name of the member that holds the text, as context. */
export type Detector = (text: string, key: string) => Span[]

/** All matches of a global pattern that pass the check. */
export function spansOf(
  text: string,
  pattern: RegExp,
  holds: (match: string, span: Span) => boolean = () => true,
): Span[] {
  const spans: Span[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const span = { start: match.index, end: pattern.lastIndex }
    if (holds(match[0], span)) spans.push(span)
  }
  return spans
}

const CAMEL = /(?<=[a-z])(?=[A-Z])/g

/** Whether the pattern matches in the key, or shortly before or after the span. */
export const isBeside = (context: RegExp, text: string, key: string, { start, end }: Span): boolean =>
  context.test(key.replace(CAMEL, ' ')) ||
  context.test(text.slice(Math.max(0, start - 32), start)) ||
  context.test(text.slice(end, end + 16))
