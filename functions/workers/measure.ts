import * as z from 'zod'
import { currentRuntime, type Space, systemContext } from '../../shared/base/context.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import { enqueueSpaces } from '../../shared/ledger/fold/enqueue.ts'
import { foldSpace } from '../../shared/ledger/fold/fold.ts'
import type { Folder } from '../../shared/ledger/fold/folder.ts'
import { metricsFolder } from '../../shared/operate/metrics/folder.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

const Message = z.object({ spaces: z.array(z.object({ tenant_id: z.string(), mode: z.enum(['live', 'test']) })) })

/** What is counted over the event log of a space. */
const foldersOf = (space: Space): Folder[] => [metricsFolder(space)]

/** Then the rest goes back to the queue: before the function runs out of time. */
const RUN_MS = 40_000

/** Counts what the named spaces have done since they were counted last. A space in trouble does not stop the others. */
export const handler = async ({ Records }: QueueEvent) => {
  const deadline = currentRuntime().clock.now() + RUN_MS
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    const { spaces } = Message.parse(JSON.parse(body))
    const unfinished = []
    let failed = false
    for (const space of spaces) {
      try {
        const ctx = systemContext(space)
        if (ctx.now() >= deadline || !(await foldSpace(ctx, foldersOf(space), deadline))) unfinished.push(space)
      } catch (error) {
        alarm('measure_failed', error, { tenant: space.tenant_id, mode: space.mode })
        failed = true
      }
    }
    if (unfinished.length > 0) await enqueueSpaces(unfinished)
    if (failed) batchItemFailures.push({ itemIdentifier: messageId })
  }
  return { batchItemFailures }
}
