// A population: a complete list of items of a window, from which an auditor draws samples. Rows hold ids, codes and times, but no
// text that people wrote, so that nothing in them ever has to be erased.
import type { Context } from '../../base/context.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import type { Window } from '../exports/window.ts'

/** Values by column. Several codes in one cell are joined by spaces. */
export type Row = { id: string } & Readonly<Record<string, string | number | boolean | null | undefined>>

/** The counterpart of a row in the chain: both sides give the same id. `at`: ISO 8601. */
export type Counterpart = { id: string; at: string }

export type Population = {
  /** Also the name of its file. */
  name: string
  columns: readonly string[]
  /** Where the rows come from, and which they are; for the index. */
  source: string
  filter: string
  /** In the order of their times, a page at a time. Lists without times hold what exists now. */
  rows: (ctx: Context, window: Window) => AsyncIterable<readonly Row[]>
  /** How the rows are compared with the chain; absent where they have no artifacts of their own. */
  chain?: {
    ofRow: (row: Row) => Counterpart | undefined
    /** Undefined for an artifact that is not about this population. */
    ofArtifact: (header: Partial<Header>) => string | undefined
  }
}

/** Whether an instant (ISO 8601) lies in a window. */
export const isWithin = (at: string | undefined, { start_at, end_at }: Window): at is string =>
  at !== undefined && at >= start_at && at < end_at
