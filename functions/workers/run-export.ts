import '../effects.ts'
import { systemContext } from '../../shared/base/context.ts'
import { continueErasure } from '../../shared/assure/erasure/erase.ts'
import { exportQueue } from '../../shared/assure/exports/enqueue.ts'
import type { MakerOf } from '../../shared/assure/exports/pack/stage.ts'
import { runExport } from '../../shared/assure/exports/run.ts'
import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'
import type { TrainingRows, UsageRows } from '../../shared/base/ports/rows.ts'
import type { OnErased } from '../../shared/base/ports/effects.ts'

const makerOf: MakerOf = async (type) => {
  if (type === 'evidence') return (await import('../../shared/assure/exports/pack/make-pack.ts')).packMaker
  if (type !== 'compliance')
    return (await import('../../shared/assure/exports/rows/write-rows.ts')).rowsMaker({ usage, training })
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
  (await import('../../shared/operate/usage/usage-rows.ts')).usageRows(ctx, window)

const training: TrainingRows = async (ctx, window) =>
  (await import('../../shared/learn/jobs/training-rows.ts')).trainingRows(ctx, window)

const erased: OnErased = async (ctx, ids) => {
  await (await import('../../shared/learn/generation/withdraw-erased.ts')).withdrawErased(ctx, ids)
}

/** One message per export or interrupted erasure. Failed messages return to the queue. */
export const handler = (event: QueueEvent) =>
  read(exportQueue, event, { failed: 'export_not_made' }, ({ id, asked, ...space }) => {
    const ctx = systemContext(space)
    return id.startsWith('ers_') ? continueErasure(ctx, id, erased) : runExport(ctx, id, { makerOf, asked })
  })
