import '../effects.ts'
import * as z from 'zod'
import { systemContext } from '../../shared/base/context.ts'
import { continueErasure } from '../../shared/assure/erasure/erase.ts'
import type { MakerOf } from '../../shared/assure/exports/maker.ts'
import { runExport } from '../../shared/assure/exports/run.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import type { TrainingRows, UsageRows } from '../../shared/base/ports/export-rows.ts'
import type { OnErased } from '../../shared/base/ports/erased.ts'
import { resourceMembers } from '../../shared/base/table/members.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

const Message = z.object({
  ...resourceMembers,
  asked: z.boolean().optional(),
})

const makerOf: MakerOf = async (type) => {
  if (type === 'evidence') return (await import('../../shared/assure/exports/make-pack.ts')).packMaker
  if (type !== 'compliance')
    return (await import('../../shared/assure/exports/write-rows.ts')).rowsMaker({ usage, training })
  const [{ auditMaker }, { POPULATIONS }, { operatePopulations }, { learnPopulations }, { failedDeliveries }] =
    await Promise.all([
      import('../../shared/assure/audit-pack/maker.ts'),
      import('../../shared/assure/populations/all.ts'),
      import('../../shared/operate/populations.ts'),
      import('../../shared/learn/populations.ts'),
      import('../../shared/deliver/webhooks/population.ts'),
    ])
  return auditMaker([...POPULATIONS, ...operatePopulations, ...learnPopulations, failedDeliveries])
}

const usage: UsageRows = async (ctx, window) =>
  (await import('../../shared/operate/metrics/usage-rows.ts')).usageRows(ctx, window)

const training: TrainingRows = async (ctx, window) =>
  (await import('../../shared/learn/jobs/training-rows.ts')).trainingRows(ctx, window)

const erased: OnErased = async (ctx, ids) => {
  await (await import('../../shared/learn/generation/withdraw-erased.ts')).withdrawErased(ctx, ids)
}

/** One message per export or interrupted erasure. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      const { id, asked, ...space } = Message.parse(JSON.parse(body))
      const ctx = systemContext(space)
      await (id.startsWith('ers_') ? continueErasure(ctx, id, erased) : runExport(ctx, id, { makerOf, asked }))
    } catch (error) {
      alarm('export_not_made', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
