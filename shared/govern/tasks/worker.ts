// Who takes tasks: people, and agents with a key. How much each has is counted in the transactions of the tasks themselves.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'

export const TIERS = ['AUTO', 'SOFT', 'HARD'] as const

export const Worker = z.object({
  ...resourceMembers,
  type: z.enum(['human', 'ai']),
  name: z.string(),
  user_id: z.string().optional(),
  agent: z
    .object({
      agent_id: z.string(),
      model_slot: z.string().optional(),
      persona_key: z.string().optional(),
      api_key_id: z.string(),
    })
    .optional(),
  skills: z.array(z.string()),
  capacity: z.int(),
  /** How many tasks it has that have not ended. */
  load: z.int(),
  status: z.enum(['active', 'paused']),
  /** The highest tier of which an AI worker gets tasks. */
  max_tier: z.enum(TIERS),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
})
export type Worker = z.output<typeof Worker>

export const WORKERS_MAX = 500

const partition = (space: Space) => spaceKey(space, 'OPS')

export const workers = entity({
  name: 'WORKER',
  schema: Worker,
  key: (of: Space & { id: string }) => ({ pk: partition(of), sk: key('WRK', of.id) }),
})

/** Leads from a user or key to the worker; one of each at most. */
export const workersOf = entity({
  name: 'WORKEROF',
  schema: z.object({ ...spaceMembers, of: z.string(), worker_id: z.string() }),
  key: (of: Space & { of: string }) => ({ pk: partition(of), sk: key('WRKOF', of.of) }),
})

export const allWorkers = (table: Table, space: Space): Promise<Stored<Worker>[]> =>
  table.query(workers, { pk: partition(space), prefix: 'WRK#', limit: WORKERS_MAX })

/** The worker that a user or key is registered as. */
export async function workerOf(table: Table, space: Space, id: string): Promise<Stored<Worker> | undefined> {
  const found = await table.get(workersOf, { ...space, of: id })
  return found && table.get(workers, { ...space, id: found.worker_id })
}
