import * as z from 'zod'
import { STEPS, stepNames } from '../../base/catalog/steps.ts'
import { env } from '../../base/lib/env.ts'
import { entity, spaceOf } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'
import { CHAINS } from '../evidence/chain/chain.ts'
import { newestSlot } from './slots.ts'

export const StepMessage = z.strictObject({ ...spaceMembers, step: z.enum(stepNames) })
export type StepMessage = z.output<typeof StepMessage>

/** Up to when (ms) the slots of all spaces have been sent. */
const progress = entity({
  name: 'STEPS',
  schema: z.object({ until: z.int() }),
  key: () => ({ pk: 'DUE#progress', sk: 'STEPS' }),
})

/** Where the first run starts. */
const FIRST_LOOK_BACK_MS = 60_000
const ENTRIES_MAX = 10

/**
 * Sends a message for each step of each space that has had a slot since the last run. One that dies halfway, and two at once,
 * send some twice; the step itself knows what it has done.
 */
export async function enqueueSteps(table: Table): Promise<void> {
  const now = table.clock.now()
  const until = (await table.get(progress, {}))?.until ?? now - FIRST_LOOK_BACK_MS
  const keys = await table.keys({ pk: CHAINS, index: 'gsi2' })
  const messages = keys.flatMap(({ pk }): StepMessage[] => {
    const space = spaceOf(pk)
    if (!space) return []
    return stepNames
      .filter((step) => newestSlot(space, STEPS[step], now) > until)
      .map((step) => ({ tenant_id: space.tenant_id, mode: space.mode, step }))
  })
  await send(messages)
  await table.update(progress.key({}), { set: { until: now, _type: progress.name } })
}

/** Throws when any message was refused: a successful answer reports failures per entry. */
async function send(messages: readonly StepMessage[]): Promise<void> {
  const { SendMessageBatchCommand, sqs } = await import('../../base/aws/sqs.ts')
  for (let from = 0; from < messages.length; from += ENTRIES_MAX) {
    const Entries = messages
      .slice(from, from + ENTRIES_MAX)
      .map((message, index) => ({ Id: String(index), MessageBody: JSON.stringify(message) }))
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl: env('STEPS_QUEUE_URL'), Entries }))
    if (Failed.length > 0) throw new Error(`the queue refused ${Failed.length} messages`)
  }
}
