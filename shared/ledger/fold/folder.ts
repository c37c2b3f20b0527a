// A folder counts something over the event log of a space. Its sums and its position in the log are written in one
// transaction, so nothing is counted twice and nothing is left out, however often a pass runs or dies.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey, type Stored, type Write } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Event } from '../events/event.ts'
import type { Sums } from '../../base/kernel/count.ts'

/** One commit of the log. `measures` are as they were stored: nobody has looked at them yet. */
export type FoldedCommit = {
  at: number
  first: number
  last: number
  events: readonly Event[]
  measures: readonly unknown[]
}

/** What a folder remembers from pass to pass; JSON. */
export type FolderState = Record<string, unknown>

export type Folder = {
  /** Names its position, for ever. */
  name: string
  /**
   * Adds the figures of a commit; may change the state. It adds to at most `TOUCHED_MAX` items that no earlier commit added to, and
   * to at most `NAMED_MAX` names of one item.
   */
  fold: (commit: FoldedCommit, sums: Sums, state: FolderState) => void
  /**
   * Adds what other sources say of the time before `asOf` (ms), once the log is read to its end, to at most `GATHERED_MAX`
   * items; may change the state. True: there is more, so it is called again after a transaction.
   */
  gather?: (ctx: Context, counted: { asOf: number; sums: Sums; state: FolderState }) => Promise<boolean>
  /** Adds the sums that it has held back: called before each transaction. */
  settle?: (sums: Sums) => void
  /**
   * Writes that follow from all that is stored; may change the state. Called again after their transaction, until there are none.
   */
  rollUp?: (ctx: Context, counted: { asOf: number; state: FolderState }) => Promise<Write[]>
  /** When (ms) a pass has something to do although nothing new was counted. */
  dueAt?: (state: FolderState) => number | undefined
  /** Called with the added sums after their transaction; not called when the worker dies between the two. */
  stored?: (sums: Sums) => void
}

export const TOUCHED_MAX = 27
export const NAMED_MAX = 120
/** Maximum of items that one call of `gather` adds to. */
export const GATHERED_MAX = 60

export const folderPositions = entity({
  name: 'FOLD',
  unbound: 'bounded',
  schema: z.object({
    ...spaceMembers,
    folder: z.string(),
    /** Of the last event that is counted. */
    position: z.int(),
    state: z.record(z.string(), z.unknown()),
    due_at: z.string().optional(),
  }),
  key: (of: Space & { folder: string }) => ({ pk: spaceKey(of, 'FOLD'), sk: of.folder }),
  index: ({ due_at, tenant_id, mode }) => dueAt(due_at, `${tenant_id}.${mode}`),
})

export type FolderPosition = Stored<z.output<(typeof folderPositions)['schema']>>

/** At the beginning of the log before its first pass. */
export async function positionOf({ table, space }: Context, folder: string): Promise<FolderPosition> {
  const stored = await table.get(folderPositions, { ...space, folder })
  return stored ?? { ...space, folder, position: 0, state: {}, _v: 0 }
}
