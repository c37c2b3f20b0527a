// Messages that ask for a checkpoint of a chain. A lost message only delays the checkpoint; a duplicate does no harm.
import { currentRuntime, type Space } from '../../../base/context.ts'
import { within } from '../../../base/lib/clock.ts'
import { env } from '../../../base/lib/env.ts'
import { memory } from '../../../base/lib/memory.ts'
import { chainName } from '../artifact/hashes.ts'

const QUIET_MS = 5_000
const DELAY_SECONDS_MAX = 900

/** When this container last enqueued a message of each chain. */
const enqueuedAt = memory<number>()

/** Requests a checkpoint now, for an export that waits for it. */
export const requestCheckpoint = ({ tenant_id, mode }: Space, exportId: string): Promise<void> =>
  send({ tenant_id, mode, export: exportId }, 0)

/** Requests a checkpoint after `waitMs`; at most once per container, chain and five seconds. */
export async function enqueueCheckpoint({ tenant_id, mode }: Space, waitMs: number): Promise<void> {
  const chain = chainName({ tenant_id, mode })
  const now = currentRuntime().clock.now()
  if (within(QUIET_MS, enqueuedAt.get(chain) ?? Number.NEGATIVE_INFINITY, now)) return
  enqueuedAt.set(chain, now)
  await send({ tenant_id, mode }, waitMs)
}

async function send(message: Space & { export?: string }, waitMs: number): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../../base/aws/sqs.ts')
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: env('CHECKPOINTS_QUEUE_URL'),
      MessageBody: JSON.stringify(message),
      DelaySeconds: Math.min(DELAY_SECONDS_MAX, Math.ceil(waitMs / 1_000)),
    }),
  )
}
