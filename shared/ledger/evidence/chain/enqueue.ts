// Messages that ask for a checkpoint of a chain. A lost message only delays the checkpoint; a duplicate does no harm.
import * as z from 'zod'
import { currentRuntime, type Space } from '../../../base/context.ts'
import { queue, send } from '../../../base/kernel/queue.ts'
import { within } from '../../../base/lib/clock.ts'
import { memory } from '../../../base/lib/memory.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { chainName } from '../artifact/hashes.ts'

/** `export`: an export waits for the checkpoint, so that it is made now. */
export const checkpoints = queue('checkpoints', z.object({ ...spaceMembers, export: z.string().optional() }))

const QUIET_MS = 5_000

/** When this container last enqueued a message of each chain. */
const enqueuedAt = memory<number>()

/** Requests a checkpoint now, for an export that waits for it. */
export const requestCheckpoint = ({ tenant_id, mode }: Space, exportId: string): Promise<void> =>
  send(checkpoints, { tenant_id, mode, export: exportId })

/** Requests a checkpoint after `waitMs`; at most once per container, chain and five seconds. */
export async function enqueueCheckpoint({ tenant_id, mode }: Space, waitMs: number): Promise<void> {
  const chain = chainName({ tenant_id, mode })
  const now = currentRuntime().clock.now()
  if (within(QUIET_MS, enqueuedAt.get(chain) ?? Number.NEGATIVE_INFINITY, now)) return
  enqueuedAt.set(chain, now)
  await send(checkpoints, { tenant_id, mode }, { delaySeconds: waitMs / 1_000 })
}
