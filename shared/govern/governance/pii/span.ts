// A place in a text, in UTF-16 code units, with the helpers of all detectors.

export type Span = { start: number; end: number }

/** Returns the spans that a detector finds. `key` is the name of the member that holds the text, as context. */
export type Detector = (text: string, key: string) => Span[]

const spanOf = (match: RegExpExecArray): Span => ({ start: match.index, end: match.index + match[0].length })

/** All matches of a global pattern that pass the check. */
export const spansOf = (
  text: string,
  pattern: RegExp,
  holds: (match: string, span: Span) => boolean = () => true,
): Span[] =>
  [...text.matchAll(pattern)]
    .map((match) => spanOf(match))
    .filter((span) => holds(text.slice(span.start, span.end), span))

const CAMEL = /(?<=[a-z])(?=[A-Z])/g

/** Whether the pattern matches in the key, or shortly before or after the span. */
export const isBeside = (context: RegExp, text: string, key: string, { start, end }: Span): boolean =>
  context.test(key.replace(CAMEL, ' ')) ||
  context.test(text.slice(Math.max(0, start - 32), start)) ||
  context.test(text.slice(end, end + 16))
