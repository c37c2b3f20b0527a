import * as z from 'zod'
import { queue, send } from '../../../base/kernel/queue.ts'
import { spaceMembers } from '../../../base/table/members.ts'

/** A run; removing what a connection that has ended copied; or a signed message of Nango. */
const SyncMessage = z.union([
  z.object({ ...spaceMembers, id: z.string() }),
  z.object({ ...spaceMembers, remove: z.string() }),
  z.object({ nango: z.string() }),
])
export type SyncMessage = z.output<typeof SyncMessage>

export const syncs = queue('syncs', SyncMessage)

/** The sweeper sends a lost message of a run again. `delaySeconds`: at most 900. */
export const enqueueSync = (message: Exclude<SyncMessage, { nango: string }>, delaySeconds = 0): Promise<void> =>
  send(syncs, message, { delaySeconds })

export const enqueueNango = (nango: string, delaySeconds = 0): Promise<void> => send(syncs, { nango }, { delaySeconds })
