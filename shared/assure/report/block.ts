// A report as a tree of blocks. The HTML and the PDF writer lay out the same blocks, so that they cannot differ.
import type { ControlStatus } from '../frameworks/control-view.ts'

/** A sign and a word; the colour only repeats them. Colours contrast with white by 3:1 or more. */
export const MARKS: Record<ControlStatus, { sign: string; word: string; colour: string }> = {
  met: { sign: '●', word: 'met', colour: '#2e7d32' },
  partially_met: { sign: '◐', word: 'partially met', colour: '#b26a00' },
  not_met: { sign: '✕', word: 'not met', colour: '#c62828' },
  not_assessed: { sign: '○', word: 'not assessed', colour: '#767676' },
  not_applicable: { sign: '–', word: 'not applicable', colour: '#4a6fa5' },
}

/** `share`: of the width; the shares of a table add up to 1. */
export type Column = { title: string; share: number }

export type Bar = { label: string; parts: { status: ControlStatus; count: number }[] }

export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3; text: string }
  | { kind: 'paragraph'; text: string }
  /** Something that a reader must not overlook. */
  | { kind: 'warning'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'figures'; items: { label: string; value: string }[] }
  | { kind: 'bars'; caption: string; bars: Bar[] }
  /** One column a day, 0 to 100; null: no score that day. */
  | { kind: 'trend'; caption: string; points: { date: string; score: number | null }[] }
  | { kind: 'table'; caption: string | undefined; columns: Column[]; rows: string[][] }
  | { kind: 'page_break' }

export type Report = { title: string; footer: string; made_at: string; blocks: Block[] }

export const heading = (level: 1 | 2 | 3, text: string): Block => ({ kind: 'heading', level, text })
export const paragraph = (text: string): Block => ({ kind: 'paragraph', text })
export const warning = (text: string): Block => ({ kind: 'warning', text })
export const code = (text: string): Block => ({ kind: 'code', text })
export const PAGE_BREAK: Block = { kind: 'page_break' }

/** A table, or a sentence where it would have no row. Without a caption, the heading before it names it. */
export const table = (caption: string | undefined, columns: Column[], rows: string[][], none = 'None.'): Block =>
  rows.length > 0 ? { kind: 'table', caption, columns, rows } : paragraph(none)

/** The text of a bar, beside it and for screen readers: `● 3 met, ✕ 1 not met`. */
export const barText = ({ parts }: Bar): string =>
  parts
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${MARKS[status].sign} ${count} ${MARKS[status].word}`)
    .join(', ')

export const trendText = (points: { date: string; score: number | null }[]): string => {
  const known = points.filter(({ score }) => score !== null)
  const [first, last] = [known.at(0), known.at(-1)]
  if (!first || !last) return 'No score was computed in these days.'
  const without = points.length - known.length
  const gaps = without > 0 ? `; no score on ${without} of ${points.length} days` : ''
  return `From ${first.score} on ${first.date} to ${last.score} on ${last.date}${gaps}.`
}
