// What looking at the rules of a space remembers from one look to the next.
import * as z from 'zod'
import { spaceMembers } from '../../base/table/members.ts'
import type { Context, Space } from '../../base/context.ts'
import { entity, type Stored } from '../../base/table/entity.ts'
import { dueAt } from '../../base/table/due.ts'
import { operationsKey } from '../definitions/definition.ts'

export const WatchState = z.object({
  ...spaceMembers,
  /** Conditions that hold, but not yet for long enough: fingerprint and the first look at which they did. */
  pending: z.record(z.string(), z.string()),
  /** Filtered series and since when they are counted, by the beginning of their names. */
  filters: z.record(z.string(), z.string()),
  /** The end of the last measured minute at the last look. */
  looked_at: z.string(),
  /** When something may change without anything being counted. */
  next_look_at: z.string().optional(),
})
export type WatchState = z.output<typeof WatchState>

export const watchStates = entity({
  name: 'WATCH',
  unbound: 'bounded',
  schema: WatchState,
  key: (space: Space) => ({ pk: operationsKey(space), sk: 'WATCH' }),
  index: ({ next_look_at, tenant_id, mode }) => dueAt(next_look_at, `${tenant_id}.${mode}`),
})

/** `_v` is 0 before the first look. */
export async function watchState({ table, space }: Pick<Context, 'table' | 'space'>): Promise<Stored<WatchState>> {
  const stored = await table.get(watchStates, space)
  return stored ?? { ...space, pending: {}, filters: {}, looked_at: new Date(0).toISOString(), _v: 0 }
}
